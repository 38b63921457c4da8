/**
 * Every hazard rule by name: what `--trust` may overrule and `docs/tasks/traps.md` explains. Those that need more than one
 * page's facts are carried out elsewhere (`crawl/`, `frontier/`), and are hazards all the same.
 */
export const RULE_NAMES = [
  // The limits of a site.
  'site-urls',
  'site-duplicates',
  'site-depth',
  // Patterns of URLs.
  'endless-sequence',
  'near-duplicates',
  'same-content',
  'growing-url',
  'repeated-segments',
  'folder-in-itself',
  'idle-parameter',
  'parameter-combinations',
  'soft-404',
  'few-contents',
  'few-words',
  'hollow',
  'copies',
  'one-cast',
  'drip-feed',
  'maze',
  // Answers, sites and names.
  'unsupported-browser',
  'redirect-chain',
  'mirror',
  'tld-wildcard',
  'dns-wildcard',
] as const
