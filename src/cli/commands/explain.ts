import { EXIT } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { explainSite, explainUrl } from '../explain-words.ts'
import { plain } from '../progress.ts'
import type { SiteFacts, UrlFacts } from '../rooms.ts'
import { withRooms } from '../with-rooms.ts'
import { isoTime, urlWord } from '../words.ts'

export const explain: Command = {
  name: 'explain',
  usage: 'URL|SITE',
  what: 'why a URL or a site is, or is not, in the collection',
  more: 'Tells what is known of a URL: whether it waits, was collected, redirected, refused (and by which rule) or given up; how it was found and who links to it. A word without scheme and path is a site: its state, robots.txt, pause, and what stopped it.',
  examples: [
    { line: 'orbweaver explain https://www.example.org/missing.html', does: 'Why that page is missing.' },
    { line: 'orbweaver explain www.example.org', does: 'How a site stands.' },
    {
      line: 'orbweaver explain https://www.example.org/ --top 100 --json',
      does: 'With a hundred pages that link to it, as JSON.',
    },
  ],
  words: { least: 1, most: 1 },
  async run(call) {
    const [word] = call.words
    const now = call.clock.now()
    const isSite = /^[^/?#\s]+$/.test(word)
    const answer = await withRooms(call, (rooms) => {
      if (isSite) return { site: rooms.siteFacts(word.toLowerCase()), url: undefined }
      const url = rooms.urlFacts(urlWord(word), call.settings.top)
      return { url, site: rooms.siteFacts(url.site) }
    })
    if (call.settings.json) call.screen.print(JSON.stringify(json(answer), undefined, 2))
    else {
      if (answer.url !== undefined) {
        call.screen.print(plain(answer.url.url))
        for (const line of explainUrl(answer.url, answer.site, now)) call.screen.print(`  ${line}`)
      }
      for (const line of explainSite(answer.site, now)) call.screen.print(line)
    }
    return EXIT.done
  },
}

function json({ url, site }: { url: UrlFacts | undefined; site: SiteFacts }): object {
  const { notBefore, robots, ...rest } = site
  const shownSite = {
    ...rest,
    notBefore: isoTime(notBefore),
    robots: robots === undefined ? null : { ...robots, at: isoTime(robots.at) },
  }
  if (url === undefined) return { site: shownSite }
  const page = url.page === undefined ? null : { ...url.page, at: isoTime(url.page.at) }
  return { ...url, enqueuedAt: isoTime(url.enqueuedAt), dueAt: isoTime(url.dueAt), page, siteFacts: shownSite }
}
