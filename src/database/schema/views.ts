/** The views that people query. `docs/reference/catalogue.md` explains them. */

const STATE = `CASE u.mark WHEN 0 THEN 'waiting' WHEN 1 THEN 'kept' WHEN 2 THEN 'moved' WHEN 3 THEN 'refused' WHEN 6 THEN 'read'
      WHEN 7 THEN 'moved' WHEN 8 THEN 'held' ELSE 'gone' END AS state`

/** An instant as the views show it: 2024-02-29T12:00:00.123Z. */
export type Iso = (column: string) => string

/** Every known URL, requested or not. `via`: the page it was found on, which `join` joins. */
export const urlsView = (iso: Iso, via: string, join: string) => `
CREATE VIEW urls AS
  SELECT u.url, f.name AS site, u.depth, u.path, ${via} AS via, u.tries, ${STATE}, ${iso('u.enqueued_at')},
    ${iso('u.lastmod')}, ${iso('k.looked_at')}, ${iso('k.refresh_at')}, k.rate, k.weight
  FROM url u JOIN site f ON f.bucket = u.bucket AND f.key = u.site
    LEFT JOIN known_page k ON k.bucket = u.bucket AND k.site = u.site AND k.key = u.key ${join};
`

export const viewsOf = (iso: Iso) => `
CREATE VIEW seeds AS
  SELECT s.url, f.name AS site, s.source, ${STATE}, ${iso('s.added_at')}
  FROM seed s JOIN url u ON u.bucket = s.bucket AND u.site = s.site AND u.key = s.key
    JOIN site f ON f.bucket = s.bucket AND f.key = s.site;
CREATE VIEW aliases AS
  SELECT name AS site, original, how, ${iso('since')}, evidence FROM site_alias;
CREATE VIEW domains AS
  SELECT name AS domain, sites, sites - unendorsed AS endorsed, held, wildcard, addresses, ${iso('probed_at')}
  FROM domain;
CREATE VIEW pages AS
  SELECT p.url, s.name AS site, p.depth, p.via, p.path, p.status, p.outcome, p.why, p.detail, p.media_type, p.sniffed,
    p.language, p.bytes, p.took_ms, p.tries, p.looks, p.digest, p.title, p.annotations, ${iso('p.first_at')}, ${iso('p.at')}
  FROM page p LEFT JOIN site_stats s ON s.bucket = p.bucket AND s.site = p.site;
CREATE VIEW failed_looks AS
  SELECT p.url, ${iso('l.at')}, l.status, l.outcome, l.why, l.detail
  FROM failed_look l JOIN page p ON p.bucket = l.bucket AND p.site = l.site AND p.key = l.key;
CREATE VIEW captures AS
  SELECT c.id, c.url, s.name AS site, ${iso('c.at')}, c.status, c.media_type, c.kind, c.duplicate, c.digest,
    v.name AS volume, c.offset, c.length, c.change, c.place
  FROM capture c JOIN volume v ON v.id = c.volume LEFT JOIN site_stats s ON s.bucket = c.bucket AND s.site = c.site;
CREATE VIEW sites AS                        -- every known site, visited or not
  SELECT f.name AS site, f.state, f.reason, f.seed, f.known AS urls, f.waiting, f.refreshing, f.address,
    coalesce(s.requests, 0) AS requests, coalesce(s.documents, 0) AS documents, coalesce(s.bytes, 0) AS bytes,
    ${iso('s.first_at')}, ${iso('s.last_at')}
  FROM site f LEFT JOIN site_stats s ON s.bucket = f.bucket AND s.site = f.key;
CREATE VIEW duplicates AS
  SELECT p.digest, count(*) AS pages, min(p.bytes) AS bytes, min(p.url) AS one_url
  FROM page p WHERE p.outcome = 'kept' AND p.digest IS NOT NULL GROUP BY p.digest HAVING count(*) > 1;
CREATE VIEW hazards AS
  SELECT s.name AS site, v.rule, v.pattern, v.evidence, v.examples, ${iso('v.at')}, ${iso('v.withdrawn_at')}
  FROM finding v LEFT JOIN site_stats s ON s.bucket = v.bucket AND s.site = v.site;
CREATE VIEW rechecks AS
  SELECT url, first_worker, ${iso('first_at')}, second_worker, ${iso('second_at')}, comparison FROM recheck;
CREATE VIEW counters AS SELECT name, CAST(sum(value) AS bigint) AS value FROM counter GROUP BY name;
CREATE VIEW workers AS
  SELECT id AS worker, name, region, version, state, visits, pages_per_second, late_ms, ${iso('registered_at')}, ${iso('seen_at')}
  FROM worker;
CREATE VIEW worker_calls AS
  SELECT c.id, ${iso('c.at')}, w.name, c.worker, c.call, c.visit, c.result, c.items, c.bytes, c.took_ms
  FROM worker_call c LEFT JOIN worker w ON w.id = c.worker;
CREATE VIEW audits AS SELECT id, ${iso('at')}, who, action, subject, before, after FROM audit;
`
