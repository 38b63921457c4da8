/** From the definition of a page to its HTML. The bytes are a function of (page, version) alone. */

import { Draws, draw } from './chance.ts'
import type { Version } from './change.ts'
import { encodeText } from './charset.ts'
import { paragraph, phrase, sentence } from './language.ts'
import { attribute, type LinkContext, oddForm, plainForm, relative } from './link-forms.ts'
import type { WebPlan } from './options.ts'
import type { LinkDefinition } from './page-links.ts'
import type { Content } from './page-plan.ts'

/** Markup around a link before content and links have their usual number. */
const HEAD_BYTES = 400

interface Pen {
  content: Content
  plan: WebPlan
  context: LinkContext
  draws: Draws
  xml: boolean
}

export function renderPage(plan: WebPlan, content: Content, version: Version, kind: string): Uint8Array<ArrayBuffer> {
  if (content.planted !== undefined) return new Uint8Array(content.planted)
  const { site } = content
  const pen = takePen(plan, content, kind === 'xhtml')
  const head = headOf(pen, version)
  const body = kind === 'frameset' ? framesOf(pen) : bodyOf(pen, version, head.length)
  const end = pen.xml || !pen.draws.yes(plan.oddHtmlShare / 4) ? '</html>\n' : ''
  return encodeText(head + body + end, pen.xml ? 'utf-8' : site.charset)
}

function takePen(plan: WebPlan, content: Content, xml: boolean): Pen {
  const { site, url } = content
  const path = url.slice(site.origin.length)
  const draws = new Draws(draw(content.seed, 0x9e4))
  const hasBase = !content.portable && !xml && draws.yes(plan.oddHtmlShare / 5)
  const file = path.split('?', 1)[0]
  const directory = hasBase ? (draws.yes(0.5) ? '/' : '/base/dir/') : file.slice(0, file.lastIndexOf('/') + 1)
  const declared = site.declared !== 'nowhere' || site.charset === 'utf-16le'
  const raw = declared ? site.charset : undefined
  return { content, plan, xml, draws, context: { origin: site.origin, path, directory, ownBase: !hasBase, raw } }
}

function headOf(pen: Pen, version: Version): string {
  const { content, context, xml, draws } = pen
  const { site, links, meta } = content
  const close = xml ? ' />' : '>'
  let html = xml
    ? `<?xml version="1.0" encoding="utf-8"?>\n<html xmlns="http://www.w3.org/1999/xhtml"><head>`
    : `<!DOCTYPE html>\n<html lang="${site.language}"><head>`
  if (site.declared === 'meta' && !xml && site.charset !== 'utf-16le') {
    html += draws.yes(0.5)
      ? `<meta charset="${site.charset}">`
      : `<meta http-equiv="Content-Type" content="text/html; charset=${site.charset}">`
  }
  html += `<title>${content.title} ${sentence(site.language, draws, 4)} v${version.id}</title>`
  if (!context.ownBase) html += `<base href="${context.directory}index.html">`
  if (meta.noindex || meta.nofollow)
    html += `<meta name="${draws.yes(0.5) ? 'robots' : 'ROBOTS'}" content="${directiveWords(pen)}"${close}`
  for (const link of links) html += headLink(pen, link, close)
  return html + '</head>\n'
}

function directiveWords({ content: { meta }, draws }: Pen): string {
  if (meta.noindex && meta.nofollow) return draws.yes(0.5) ? 'none' : 'noindex,nofollow'
  return meta.noindex ? (draws.yes(0.5) ? 'NOINDEX, FOLLOW' : 'noindex') : 'index, nofollow'
}

function headLink(pen: Pen, link: LinkDefinition, close: string): string {
  switch (link.tag) {
    case 'canonical':
    case 'alternate':
    case 'next':
    case 'prev':
      return `<link rel="${link.tag}" href=${attribute(hostless(pen, link.target), false, pen.draws)}${close}`
    case 'style':
      return `<link rel="stylesheet" href="${hostless(pen, link.target)}"${close}`
    case 'script':
      return `<script src="${hostless(pen, link.target)}"></script>`
    case 'refresh':
      return `<meta http-equiv="${pen.draws.yes(0.5) ? 'refresh' : 'Refresh'}" content="${refreshContent(pen, link)}"${close}`
    default:
      return ''
  }
}

function refreshContent(pen: Pen, link: LinkDefinition): string {
  const url = hostless(pen, link.target).replaceAll('&', '&amp;')
  return pen.draws.yes(0.5) ? `0; url=${url}` : `5;URL='${url}'`
}

function framesOf(pen: Pen): string {
  const frames = pen.content.links.map((link) => `<frame src=${reference(pen, link)}>`)
  return `<frameset cols="20%,*,20%">${frames.join('')}</frameset>\n`
}

function bodyOf(pen: Pen, version: Version, before: number): string {
  const { content, plan, draws } = pen
  const { site, links } = content
  // Sizes spread by a factor of about three to either side, as a log-normal would have it.
  const size = plan.pageBytes * Math.exp((draws.unit() + draws.unit() + draws.unit() - 1.5) * 1.3)
  let html = `<body><h1>${content.title}</h1>\n`
  const changed = new Draws(draw(content.seed, version.id, 0xc4a))
  html += `<p id="news">${sentence(site.language, changed, 12)} ${version.id}</p>\n`
  let at = 0
  let room = size - before - HEAD_BYTES
  const spacing = Math.max(1, Math.ceil(links.length / Math.max(1, Math.round((room - links.length * 90) / 500))))
  while (at < links.length || room > 0) {
    const start = html.length
    html += '<p>' + paragraph(site.language, draws)
    for (let i = 0; i < spacing && at < links.length; i++) html += bodyLink(pen, links[at++])
    html += pen.xml || !draws.yes(plan.oddHtmlShare / 2) ? '</p>\n' : ' 2 < 3 & 4 > 1\n'
    room -= html.length - start
  }
  return html + '</body>'
}

function bodyLink(pen: Pen, link: LinkDefinition): string {
  const { draws } = pen
  const target = hostless(pen, link.target)
  switch (link.tag) {
    case 'a':
      return anchor(pen, link)
    case 'area':
      return `<map name="m"><area shape="rect" coords="0,0,9,9" href=${reference(pen, link)}${pen.xml ? ' /' : ''}></map>`
    case 'iframe':
      return `<iframe src=${reference(pen, link)}></iframe>`
    case 'frame':
      return ''
    case 'form':
      return `<form action=${reference(pen, link)}${draws.yes(0.5) ? ' method="get"' : ''}><p>?</p></form>`
    case 'post':
      return `<form method="post" action="${target}"><p>!</p></form>`
    case 'image':
      return `<img alt="" src="${target}"${pen.xml ? ' /' : ''}>`
    case 'archive':
    case 'scheme':
      return ` <a href="${target}">file</a>`
    case 'comment':
      return `<!-- <a href="${target}">old</a> -->`
    case 'script-text':
      return pen.xml ? '' : `<script>var old = '<a href="${target}">x</a>'</script>`
    case 'textarea':
      return pen.xml ? '' : `<textarea><a href="${target}">x</a></textarea>`
    case 'second-href':
      return pen.xml ? '' : `<a href="${hostless(pen, `${pen.content.site.origin}/`)}" href="${target}">twice</a>`
    default:
      return ''
  }
}

function anchor(pen: Pen, link: LinkDefinition): string {
  const { plan, draws, xml } = pen
  const rel = link.nofollow ? (draws.yes(0.5) ? ' rel="nofollow"' : ' rel="external NoFollow"') : ''
  const href = reference(pen, link)
  const text = phrase(pen.content.site.language, draws)
  if (xml || !draws.yes(plan.oddHtmlShare)) return ` <a href=${href}${rel}>${text}</a>`
  switch (draws.below(5)) {
    case 0:
      return ` <A HREF =${href}${rel}>${text}`
    case 1:
      return ` <a class=x\nhref=${href}\n${rel}><b>${text}</a>`
    case 2:
      return ` <a/href=${href}${rel}>${text}</a>`
    case 3:
      return ` <a title="a > b" target=_top href=${href}${rel}>${text}</a attr>`
    default:
      return ` <a href=${href} ${rel}><i>${text}</b></a>`
  }
}

/** The target as it may stand in a page that is copied to another host with all its links. */
function hostless({ content: { site } }: Pen, target: string): string {
  return site.hostless && target.startsWith(`${site.origin}/`) ? target.slice(site.origin.length) : target
}

function reference(pen: Pen, link: LinkDefinition): string {
  const { content, context, plan, draws, xml } = pen
  if (content.site.hostless) {
    const path = hostless(pen, link.target)
    const near = !content.portable && path.startsWith('/') && draws.yes(0.4)
    return attribute(near ? relative(path, context.directory) : path, false, draws)
  }
  if (content.portable) return attribute(link.target, false, draws)
  const odd = !xml && draws.yes(plan.oddHtmlShare)
  return attribute(odd ? oddForm(link.target, context, draws) : plainForm(link.target, context, draws), odd, draws)
}
