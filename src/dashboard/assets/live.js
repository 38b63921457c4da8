// Replaces what is marked data-live with what the server renders for the same URL, every two seconds while the tab is seen.
const EVERY = 2000
const PATIENCE = 10_000

/** What is being read with the keyboard, typed into or held open stays as it is. */
const isInUse = (element) =>
  element.contains(document.activeElement) || element.querySelector('details[open], dialog[open]') !== null

async function renew() {
  const answer = await fetch(location.href, {
    headers: { 'x-live': '1' },
    signal: AbortSignal.timeout(PATIENCE),
    redirect: 'error',
  })
  if (!answer.ok) throw new Error(`status ${answer.status}`)
  const fresh = new DOMParser().parseFromString(await answer.text(), 'text/html')
  for (const old of document.querySelectorAll('[data-live][id]')) {
    const next = fresh.getElementById(old.id)
    if (next !== null && old.innerHTML !== next.innerHTML && !isInUse(old)) old.replaceWith(next)
  }
  document.title = fresh.title
}

const isLive = () => document.querySelector('[data-live]') !== null

async function keepAlive() {
  while (isLive()) {
    await new Promise((resolve) => setTimeout(resolve, EVERY))
    if (document.hidden)
      await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
    try {
      await renew()
      delete document.documentElement.dataset.stale
    } catch {
      document.documentElement.dataset.stale = ''
    }
  }
}

// On a narrow screen the navigation scrolls: the page that is shown must be in sight.
document.querySelector('nav [aria-current]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
keepAlive()
