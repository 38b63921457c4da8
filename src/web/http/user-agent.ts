/** How the crawler names itself, with the same token that it looks for in robots.txt. */
import { Problem } from '../../base/errors.ts'

export interface Identity {
  /** RFC 9309's product token: letters, `_` and `-`. */
  name: string
  version: string
  /** A URL or a mail address for webmasters. */
  contact?: string
}

/** Names of well-known crawlers and browsers, for which robots.txt and firewalls make exceptions. */
const TAKEN = (
  'adidxbot ahrefsbot amazonbot amzn-searchbot anthropic-ai applebot arquivo-web-crawler archivebot bingbot bingpreview ' +
  'blexbot bnfbot bravebot bubing bytespider ccbot chatgpt-user chrome claude-searchbot claude-user claude-web claudebot coccoc ' +
  'coccocbot cohere-ai dataforseobot deepseekbot diffbot discordbot dotbot duckassistbot duckduckbot exabot facebot ' +
  'feedly firefox gigabot gptbot headlesschrome heritrix httrack ia_archiver kagibot linkedinbot meta-externalagent ' +
  'meta-externalfetcher meta-externalhit meta-webindexer mistralai-user mojeekbot mozilla msie msnbot naverbot nutch ' +
  'oai-searchbot perplexity-user perplexitybot petalbot pinterest pinterestbot qwantbot qwantify redditbot rogerbot ' +
  'safari scrapy screaming-frog semanticscholarbot semrushbot serpstatbot seznambot siteauditbot slackbot slurp sogou ' +
  'sosospider telegrambot teoma tiktokspider timpibot turnitinbot twitterbot uptimerobot wget whatsapp yacybot yahoo yeti ' +
  'yisouspider youbot'
).split(' ')
const TAKEN_NAME = new RegExp(
  `^(?:(?:${TAKEN.join('|')})(?:[-_]|$)|google|yandex|baidu|facebook|cloudflare)|-google$`,
  'i',
)

/** Using such a name is impersonation: robots.txt would be read as theirs. */
export function isTakenName(name: string): boolean {
  return TAKEN_NAME.test(name)
}

/** `NAME/VERSION (+CONTACT)`. */
export function userAgent({ name, version, contact }: Identity): string {
  if (!/^[A-Za-z_-]{1,64}$/.test(name)) {
    throw new Problem(
      'bad-flag',
      `user agent name ${JSON.stringify(name)}: only letters, "_" and "-", as robots.txt has it`,
    )
  }
  if (!/^[\w!#$%&'*+.^`|~-]{1,32}$/.test(version)) {
    throw new Problem('bad-flag', `user agent version ${JSON.stringify(version)}: only a token such as 1.2.0`)
  }
  if (contact === undefined || contact === '') return `${name}/${version}`
  if (contact.length > 200 || !/^[!-~]+$/.test(contact) || /[()\\]/.test(contact)) {
    throw new Problem(
      'bad-flag',
      `contact ${JSON.stringify(contact.slice(0, 80))}: a URL or mail address of at most 200 plain characters, without blanks and parentheses`,
    )
  }
  return `${name}/${version} (+${contact})`
}
