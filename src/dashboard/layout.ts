/** The frame of every page: navigation, the state of the crawl, the message of the last action. */
import { basename } from 'node:path'
import type { PageMessage } from '../cluster/server/web-door.ts'
import type { Action } from '../contracts/control.ts'
import { actionFields } from './actions.ts'
import { ASSETS } from './assets.ts'
import { exact, type Html, href, html, visible } from './html.ts'
import type { PageAnswer, PageRequest } from './page.ts'

const NAVIGATION = {
  '/': 'Overview',
  '/sites': 'Sites',
  '/urls': 'URLs',
  '/cluster': 'Cluster',
  '/hazards': 'Hazards',
  '/mirrors': 'Mirrors',
  '/blacklist': 'Blacklist',
  '/reports': 'Reports',
} as const

export interface Framed {
  title: string
  /** The entry of the navigation that it belongs to. */
  under: keyof typeof NAVIGATION | undefined
  body: Html
  status?: number
  /** It does not renew itself: a list that costs something to make, or that a person reads. */
  isStill?: boolean
}

const HTML_TYPE = 'text/html; charset=utf-8'
const ICON =
  "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' fill='none' stroke='%23b45309' stroke-width='2'%3E%3Cpath d='M16 2v28M2 16h28M6 6l20 20M26 6 6 26'/%3E%3Cpath d='m16 8 6 2 2 6-2 6-6 2-6-2-2-6 2-6z'/%3E%3C/svg%3E"

export function framed(
  request: PageRequest,
  { title, under, body, status = 200, isStill = false }: Framed,
): PageAnswer {
  const { base, live } = request
  const name = basename(live.collection)
  const document = html`<!doctype html>
<html lang="en">
<head>
${head(`${title} · ${name}`, base)}
<script type="module" src="${base}${ASSETS.script.path}"></script>
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<div class="bar">
<a class="brand" href="${href(base, '/')}">${WEB}<span>Orbweaver</span></a>
<nav aria-label="Pages"><ul>${Object.entries(NAVIGATION).map(
    ([path, label]) =>
      html`<li><a href="${href(base, path)}"${path === under && html` aria-current="page"`}>${label}</a></li>`,
  )}</ul></nav>
<div class="who">${who(request)}</div>
</div>
</header>
<main id="main">
${request.message && html`<p class="message${request.message.isWrong && ' wrong'}" role="status">${visible(request.message.text, 500)}</p>`}
<div class="heading"><h1>${title}</h1>${stateOf(request, isStill)}</div>
${body}
</main>
<footer><p>${name} · Orbweaver ${live.version} · times are UTC</p><p class="stale" role="status">The server does not answer; these figures are old.</p></footer>
</body>
</html>
`
  return { status, type: HTML_TYPE, body: document.text }
}

const head = (title: string, base: string) => html`<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${title}</title>
<link rel="icon" href="${ICON}">
<link rel="stylesheet" href="${base}${ASSETS.style.path}">`

const WEB = html`<svg class="logo" viewBox="0 0 32 32" aria-hidden="true"><path d="M16 2v28M2 16h28M6 6l20 20M26 6 6 26"/><path d="m16 8 6 2 2 6-2 6-6 2-6-2-2-6 2-6z"/><path d="m16 12 3 1 1 3-1 3-3 1-3-1-1-3 1-3z"/></svg>`

function who({ role, base, isSignedIn }: PageRequest): Html {
  return html`<span>${role}</span>${isSignedIn && html`<form method="post" action="${base}/logout"><button class="quiet">Sign out</button></form>`}`
}

const RUNS = { crawl: 'Crawling', refresh: 'Refreshing', server: 'Serving' } as const

function stateOf({ live }: PageRequest, isStill: boolean): Html {
  const { choice, isEnding, runs } = live
  const [kind, words] = isEnding
    ? ['ending', 'Stopping']
    : choice.paused !== undefined
      ? ['paused', 'Paused']
      : ['running', RUNS[runs]]
  return html`<span class="state ${kind}" id="state"${!isStill && html` data-live`}>${words}</span>`
}

/** A button that performs an action; nothing for viewers. Those that can't be undone are asked for twice: `confirm` says what will happen. */
export function actionButton(
  request: PageRequest,
  action: Action,
  label: string,
  options: { confirm?: string; kind?: 'danger' | 'main'; fields?: Html } = {},
): Html {
  if (request.role !== 'operator') return html``
  const { confirm, kind, fields } = options
  // Fields that a person fills in come first, so they win.
  const form = html`<form method="post" action="${request.base}/act" class="act">${fields}${Object.entries(
    actionFields(action),
  ).map(
    ([name, value]) => html`<input type="hidden" name="${name}" value="${exact(value)}">`,
  )}<input type="hidden" name="csrf" value="${request.csrf}"><input type="hidden" name="back" value="${href('', request.path, Object.fromEntries(request.query))}"><button${kind && html` class="${kind}"`}>${label}</button></form>`
  if (confirm === undefined) return form
  return html`<details class="confirm"><summary class="button${kind && ` ${kind}`}">${label}…</summary><div><p>${confirm}</p>${form}</div></details>`
}

/** For pages that need no more than a sentence: not found, too slow, not allowed. */
export function notice(request: PageRequest, status: number, title: string, text: string): PageAnswer {
  return framed(request, { title, under: undefined, status, body: html`<p>${text}</p>` })
}

/** For those who are not known. It tells nothing about the crawl. */
export function signInPage(base: string, back: string, message: PageMessage | undefined): PageAnswer {
  const document = html`<!doctype html>
<html lang="en">
<head>
${head('Sign in · Orbweaver', base)}
</head>
<body>
<main id="main" class="sign-in">
<h1>${WEB}Orbweaver</h1>
${message && html`<p class="message${message.isWrong && ' wrong'}" role="alert">${message.text}</p>`}
<form method="post" action="${base}/login">
<label for="token">Token</label>
<input type="password" id="token" name="token" autocomplete="current-password" required autofocus>
<input type="hidden" name="back" value="${back}">
<button class="main">Sign in</button>
</form>
<p><small>Viewers and operators have different tokens; whoever runs this crawl has them.</small></p>
</main>
</body>
</html>
`
  return { status: 200, type: HTML_TYPE, body: document.text }
}
