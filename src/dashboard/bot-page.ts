/** The page for webmasters whose sites are visited: who crawls, how, and how to be left alone. For the URL in the User-Agent; it needs nothing beside itself. */
import type { Millis } from '../base/clock.ts'
import { formatDuration } from '../base/units.ts'
import { html } from './html.ts'

/** Settings of the crawl. */
export interface BotFacts {
  /** As robots.txt has it. */
  userAgentName: string
  /** A web page or a mail address. */
  contact: string | undefined
  pause: Millis
  addressPause: Millis
  pauseFactor: number
  maxCrawlDelay: Millis
  maxRetryAfter: Millis
  refresh: boolean
}

/** `userAgent`: as it is sent. */
export function botPage(facts: BotFacts, userAgent: string): string {
  const { userAgentName: name, contact, pause, addressPause, pauseFactor, maxCrawlDelay, maxRetryAfter } = facts
  const mail = contact !== undefined && !/^https?:/i.test(contact)
  const link = contact === undefined ? undefined : mail ? `mailto:${contact.replace(/^mailto:/, '')}` : contact
  const who =
    link === undefined
      ? html`<p class="missing">The operator has not given a contact (<code>--contact</code>).</p>`
      : html`<p>${mail ? 'Write to' : 'Who we are, and how to reach us:'} <a href="${link}">${contact?.replace(/^mailto:/, '')}</a>. Please say which host it is about.</p>`
  return html`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${name}, a web crawler</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 42em; margin: 2em auto; padding: 0 1em; color: #222; background: #fff }
h2 { font-size: 1.1em; margin-top: 2em } pre, code { font-family: monospace; overflow-wrap: anywhere }
pre { background: #f3f3f3; color: #222; padding: .8em; white-space: pre-wrap } .missing { color: #a11 }
@media (prefers-color-scheme: dark) { body { color: #ddd; background: #181818 } a { color: #8bf } pre { background: #2a2a2a; color: #ddd } .missing { color: #f99 } }
</style>
<h1>${name}, a web crawler</h1>
<p>If you found this name in the log of your web server, it was visited by a crawler that collects web pages for an archive. It names itself in every request:</p>
<pre>User-Agent: ${userAgent}</pre>

<h2>Who runs it</h2>
${who}

<h2>What it does at your site</h2>
<ul>
<li>It reads <code>/robots.txt</code> before anything else, and again after 24 hours. If your server fails to deliver it, nothing else is asked for.</li>
<li>It sends one request at a time, and waits at least ${formatDuration(pause)} after the end of each answer. When your server is slow, it waits ${pauseFactor} times as long as the answer took.</li>
<li>All sites at one IP address share a second pause of ${formatDuration(addressPause)}.</li>
<li>It reads documents: web pages, PDF and the like. It loads no images, styles or scripts, runs no scripts, fills in no forms, and sends no passwords.</li>
${facts.refresh && html`<li>It comes back to see whether pages have changed, and asks with <code>If-None-Match</code> and <code>If-Modified-Since</code>, so that an unchanged page costs you little.</li>\n`}</ul>

<h2>How to slow it down</h2>
<p>It obeys <code>Crawl-delay</code> (up to ${formatDuration(maxCrawlDelay)}), and <code>Retry-After</code> with status 429 or 503 (up to ${formatDuration(maxRetryAfter)}, then it asks again):</p>
<pre>User-agent: ${name}
Crawl-delay: 30</pre>

<h2>How to keep it out</h2>
<p>Of your whole site, or of a part of it, in <code>robots.txt</code>. If no group names it, it obeys the rules for <code>User-agent: *</code>.</p>
<pre>User-agent: ${name}
Disallow: /</pre>
<p>A page with <code>&lt;meta name="robots" content="noindex"&gt;</code>, or the header <code>X-Robots-Tag: noindex</code>, is not kept. With <code>nofollow</code> its links are not followed.</p>
<p>Or tell us: one command bars your site at once, while the crawl runs.</p>

<h2>What it asked of your site</h2>
<p>Look for <code>${name}/</code> in the log of your server. The crawler writes down every request, with its time, your server's answer and the page that led to it; ask us for what concerns your site. Compare both when you doubt that it was us: anyone can send this name.</p>
<p>It reads robots.txt as <a href="https://www.rfc-editor.org/rfc/rfc9309">RFC 9309</a> says. The program is Orbweaver, which is free software.</p>
</html>
`.text
}
