CREATE OR REPLACE FUNCTION site_added()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  sums record;
BEGIN
  FOR sums IN
    SELECT bucket, coalesce(sum(n) FILTER (WHERE state = 'waiting'), 0) AS sites_waiting, coalesce(sum(n) FILTER (WHERE state = 'free'), 0) AS sites_free, coalesce(sum(n) FILTER (WHERE state = 'leased'), 0) AS sites_leased, coalesce(sum(n) FILTER (WHERE state = 'returning'), 0) AS sites_returning, coalesce(sum(n) FILTER (WHERE state = 'crawled'), 0) AS sites_crawled, coalesce(sum(n) FILTER (WHERE state = 'barred'), 0) AS sites_barred, coalesce(sum(n) FILTER (WHERE state = 'held'), 0) AS sites_held, coalesce(sum(n * known), 0) AS urls_known, coalesce(sum(n * waiting), 0) AS urls_waiting, coalesce(sum(n * waiting) FILTER (WHERE state IN ('held', 'barred')), 0) AS urls_held, coalesce(sum(n * refreshing), 0) AS urls_refreshing, coalesce(sum(n * granted), 0) AS pages_granted
    FROM (SELECT bucket, state, known, waiting, refreshing, granted, 1 AS n FROM new_rows) changed GROUP BY bucket ORDER BY bucket
  LOOP
    CONTINUE WHEN (sums.sites_waiting, sums.sites_free, sums.sites_leased, sums.sites_returning, sums.sites_crawled, sums.sites_barred, sums.sites_held, sums.urls_known, sums.urls_waiting, sums.urls_held, sums.urls_refreshing, sums.pages_granted) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    INSERT INTO frontier_total (bucket, sites_waiting, sites_free, sites_leased, sites_returning, sites_crawled, sites_barred, sites_held, urls_known, urls_waiting, urls_held, urls_refreshing, pages_granted) VALUES (sums.bucket, sums.sites_waiting, sums.sites_free, sums.sites_leased, sums.sites_returning, sums.sites_crawled, sums.sites_barred, sums.sites_held, sums.urls_known, sums.urls_waiting, sums.urls_held, sums.urls_refreshing, sums.pages_granted);
  END LOOP;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION site_changed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  sums record;
BEGIN
  FOR sums IN
    SELECT bucket, coalesce(sum(n) FILTER (WHERE state = 'waiting'), 0) AS sites_waiting, coalesce(sum(n) FILTER (WHERE state = 'free'), 0) AS sites_free, coalesce(sum(n) FILTER (WHERE state = 'leased'), 0) AS sites_leased, coalesce(sum(n) FILTER (WHERE state = 'returning'), 0) AS sites_returning, coalesce(sum(n) FILTER (WHERE state = 'crawled'), 0) AS sites_crawled, coalesce(sum(n) FILTER (WHERE state = 'barred'), 0) AS sites_barred, coalesce(sum(n) FILTER (WHERE state = 'held'), 0) AS sites_held, coalesce(sum(n * known), 0) AS urls_known, coalesce(sum(n * waiting), 0) AS urls_waiting, coalesce(sum(n * waiting) FILTER (WHERE state IN ('held', 'barred')), 0) AS urls_held, coalesce(sum(n * refreshing), 0) AS urls_refreshing, coalesce(sum(n * granted), 0) AS pages_granted
    FROM (SELECT bucket, state, known, waiting, refreshing, granted, 1 AS n FROM new_rows UNION ALL SELECT bucket, state, known, waiting, refreshing, granted, -1 AS n FROM old_rows) changed GROUP BY bucket ORDER BY bucket
  LOOP
    CONTINUE WHEN (sums.sites_waiting, sums.sites_free, sums.sites_leased, sums.sites_returning, sums.sites_crawled, sums.sites_barred, sums.sites_held, sums.urls_known, sums.urls_waiting, sums.urls_held, sums.urls_refreshing, sums.pages_granted) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    INSERT INTO frontier_total (bucket, sites_waiting, sites_free, sites_leased, sites_returning, sites_crawled, sites_barred, sites_held, urls_known, urls_waiting, urls_held, urls_refreshing, pages_granted) VALUES (sums.bucket, sums.sites_waiting, sums.sites_free, sums.sites_leased, sums.sites_returning, sums.sites_crawled, sums.sites_barred, sums.sites_held, sums.urls_known, sums.urls_waiting, sums.urls_held, sums.urls_refreshing, sums.pages_granted);
  END LOOP;
  RETURN NULL;
END
$function$;

CREATE OR REPLACE FUNCTION site_removed()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
DECLARE
  sums record;
BEGIN
  FOR sums IN
    SELECT bucket, coalesce(sum(n) FILTER (WHERE state = 'waiting'), 0) AS sites_waiting, coalesce(sum(n) FILTER (WHERE state = 'free'), 0) AS sites_free, coalesce(sum(n) FILTER (WHERE state = 'leased'), 0) AS sites_leased, coalesce(sum(n) FILTER (WHERE state = 'returning'), 0) AS sites_returning, coalesce(sum(n) FILTER (WHERE state = 'crawled'), 0) AS sites_crawled, coalesce(sum(n) FILTER (WHERE state = 'barred'), 0) AS sites_barred, coalesce(sum(n) FILTER (WHERE state = 'held'), 0) AS sites_held, coalesce(sum(n * known), 0) AS urls_known, coalesce(sum(n * waiting), 0) AS urls_waiting, coalesce(sum(n * waiting) FILTER (WHERE state IN ('held', 'barred')), 0) AS urls_held, coalesce(sum(n * refreshing), 0) AS urls_refreshing, coalesce(sum(n * granted), 0) AS pages_granted
    FROM (SELECT bucket, state, known, waiting, refreshing, granted, -1 AS n FROM old_rows) changed GROUP BY bucket ORDER BY bucket
  LOOP
    CONTINUE WHEN (sums.sites_waiting, sums.sites_free, sums.sites_leased, sums.sites_returning, sums.sites_crawled, sums.sites_barred, sums.sites_held, sums.urls_known, sums.urls_waiting, sums.urls_held, sums.urls_refreshing, sums.pages_granted) = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);
    INSERT INTO frontier_total (bucket, sites_waiting, sites_free, sites_leased, sites_returning, sites_crawled, sites_barred, sites_held, urls_known, urls_waiting, urls_held, urls_refreshing, pages_granted) VALUES (sums.bucket, sums.sites_waiting, sums.sites_free, sums.sites_leased, sums.sites_returning, sums.sites_crawled, sums.sites_barred, sums.sites_held, sums.urls_known, sums.urls_waiting, sums.urls_held, sums.urls_refreshing, sums.pages_granted);
  END LOOP;
  RETURN NULL;
END
$function$;

CREATE TABLE address (
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  worker text COLLATE "C" NOT NULL,
  visits bigint NOT NULL,
  until bigint NOT NULL,
  CONSTRAINT address_pkey PRIMARY KEY (shard, address)
) WITH (fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000);
CREATE INDEX address_idle ON address USING btree (shard, until) WHERE (visits = 0);

CREATE TABLE address_reservation (
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  CONSTRAINT address_reservation_pkey PRIMARY KEY (shard, address, bucket)
);

CREATE TABLE address_sites (
  shard smallint NOT NULL,
  address text COLLATE "C" NOT NULL,
  sites bigint NOT NULL,
  CONSTRAINT address_sites_pkey PRIMARY KEY (shard, address)
) WITH (fillfactor=70);

CREATE TABLE alias_change (
  id bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
  changed xid8 NOT NULL,
  name text COLLATE "C" NOT NULL,
  original text COLLATE "C",
  how text COLLATE "C",
  https bigint,
  CONSTRAINT alias_change_pkey PRIMARY KEY (id)
);
CREATE INDEX alias_change_by ON alias_change USING btree (changed);

CREATE TABLE audit (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  at bigint NOT NULL,
  who text COLLATE "C" NOT NULL,
  action text COLLATE "C" NOT NULL,
  subject text COLLATE "C" NOT NULL,
  before text COLLATE "C",
  after text COLLATE "C",
  CONSTRAINT audit_pkey PRIMARY KEY (id)
);

CREATE TABLE capture (
  bucket smallint NOT NULL,
  id bigint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  volume bigint NOT NULL,
  "offset" bigint NOT NULL,
  length bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  media_type text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL,
  duplicate bigint NOT NULL,
  change text COLLATE "C",
  place text COLLATE "C",
  CONSTRAINT capture_pkey PRIMARY KEY (bucket, id)
);
CREATE INDEX capture_change ON capture USING btree (bucket, id) WHERE (change IS NOT NULL);
CREATE INDEX capture_in ON capture USING btree (volume, "offset");
CREATE INDEX capture_of ON capture USING btree (bucket, site, key, at);

CREATE TABLE catalogue_row (
  bucket smallint NOT NULL,
  last bigint NOT NULL,
  CONSTRAINT catalogue_row_pkey PRIMARY KEY (bucket)
) WITH (fillfactor=20);

CREATE TABLE cdxj_upto (
  node text COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  capture bigint NOT NULL,
  size bigint NOT NULL,
  CONSTRAINT cdxj_upto_pkey PRIMARY KEY (node, bucket)
);

CREATE TABLE cluster_key (
  one bigint NOT NULL,
  key bytea NOT NULL,
  CONSTRAINT cluster_key_one_check CHECK ((one = 1)),
  CONSTRAINT cluster_key_pkey PRIMARY KEY (one)
);

CREATE TABLE control (
  subject text COLLATE "C" NOT NULL,
  choice text COLLATE "C" NOT NULL,
  version bigint NOT NULL,
  CONSTRAINT control_pkey PRIMARY KEY (subject)
);
CREATE UNIQUE INDEX control_version ON control USING btree (version);

CREATE TABLE counter (
  bucket smallint NOT NULL,
  name text COLLATE "C" NOT NULL,
  day text COLLATE "C" NOT NULL,
  value bigint NOT NULL,
  CONSTRAINT counter_pkey PRIMARY KEY (name, day, bucket)
) WITH (fillfactor=50);

CREATE TABLE crawl_log (
  node text COLLATE "C" NOT NULL,
  synced bigint NOT NULL,
  CONSTRAINT crawl_log_pkey PRIMARY KEY (node)
);

CREATE TABLE crawl_log_tail (
  node text COLLATE "C" NOT NULL,
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  lines text COLLATE "C" NOT NULL,
  CONSTRAINT crawl_log_tail_pkey PRIMARY KEY (node, id)
);

CREATE TABLE cross_site_link (
  bucket smallint NOT NULL,
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  links bytea NOT NULL,
  corrupt text COLLATE "C",
  CONSTRAINT cross_site_link_pkey PRIMARY KEY (bucket, id)
) WITH (autovacuum_vacuum_threshold=20000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_insert_threshold=-1, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=100000);

CREATE TABLE domain (
  shard smallint NOT NULL,
  key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  sites bigint NOT NULL,
  unendorsed bigint NOT NULL,
  held bigint NOT NULL,
  wildcard bigint NOT NULL,
  pending bigint NOT NULL,
  addresses text COLLATE "C",
  probed_at bigint,
  CONSTRAINT domain_pkey PRIMARY KEY (shard, key)
) WITH (fillfactor=70);
CREATE INDEX domain_held ON domain USING btree (shard, key) WHERE (held > 0);
CREATE INDEX domain_pending ON domain USING btree (shard, key) WHERE (pending = 1);

CREATE TABLE failed_look (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  slot bigint NOT NULL,
  at bigint NOT NULL,
  status bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  why text COLLATE "C",
  detail text COLLATE "C",
  CONSTRAINT failed_look_pkey PRIMARY KEY (bucket, site, key, slot)
);

CREATE TABLE finding (
  bucket smallint NOT NULL,
  id bigint NOT NULL,
  site bigint NOT NULL,
  rule text COLLATE "C" NOT NULL,
  pattern text COLLATE "C",
  evidence text COLLATE "C" NOT NULL,
  examples text COLLATE "C",
  at bigint NOT NULL,
  withdrawn_at bigint,
  CONSTRAINT finding_pkey PRIMARY KEY (bucket, id)
);
CREATE INDEX finding_at ON finding USING btree (at, id);
CREATE INDEX finding_of ON finding USING btree (bucket, site);
CREATE INDEX finding_rule ON finding USING btree (rule, at, id);

CREATE TABLE frontier_bucket (
  bucket smallint NOT NULL,
  CONSTRAINT frontier_bucket_pkey PRIMARY KEY (bucket)
);

CREATE TABLE frontier_meta (
  name text COLLATE "C" NOT NULL,
  value text COLLATE "C" NOT NULL,
  CONSTRAINT frontier_meta_pkey PRIMARY KEY (name)
);

CREATE TABLE frontier_total (
  bucket smallint NOT NULL,
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  sites_waiting bigint NOT NULL DEFAULT 0,
  sites_free bigint NOT NULL DEFAULT 0,
  sites_leased bigint NOT NULL DEFAULT 0,
  sites_returning bigint NOT NULL DEFAULT 0,
  sites_crawled bigint NOT NULL DEFAULT 0,
  sites_barred bigint NOT NULL DEFAULT 0,
  sites_held bigint NOT NULL DEFAULT 0,
  urls_known bigint NOT NULL DEFAULT 0,
  urls_waiting bigint NOT NULL DEFAULT 0,
  urls_held bigint NOT NULL DEFAULT 0,
  urls_refreshing bigint NOT NULL DEFAULT 0,
  pages_granted bigint NOT NULL DEFAULT 0,
  CONSTRAINT frontier_total_pkey PRIMARY KEY (bucket, id)
) WITH (autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000);

CREATE TABLE inbox (
  bucket smallint NOT NULL,
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  visit text COLLATE "C" NOT NULL,
  part bigint NOT NULL,
  fence bigint NOT NULL,
  site text COLLATE "C" NOT NULL,
  last bigint NOT NULL,
  bytes bigint NOT NULL,
  body bytea NOT NULL,
  out_of_order bigint NOT NULL DEFAULT 0,
  corrupt text COLLATE "C",
  CONSTRAINT inbox_pkey PRIMARY KEY (bucket, visit, part)
) WITH (autovacuum_vacuum_threshold=5000, autovacuum_vacuum_scale_factor=0, autovacuum_vacuum_insert_threshold=-1, autovacuum_analyze_scale_factor=0, autovacuum_analyze_threshold=100000);
CREATE INDEX inbox_ready ON inbox USING btree (bucket, id) INCLUDE (bytes) WHERE ((corrupt IS NULL) AND (out_of_order = 0));

CREATE TABLE inlink (
  bucket smallint NOT NULL,
  id bigint NOT NULL,
  site bigint NOT NULL,
  slot bigint NOT NULL,
  targets bytea NOT NULL,
  CONSTRAINT inlink_pkey PRIMARY KEY (bucket, id)
);
CREATE INDEX inlink_of ON inlink USING btree (bucket, site, slot);

CREATE TABLE inlink_upto (
  bucket smallint NOT NULL,
  page bigint NOT NULL,
  CONSTRAINT inlink_upto_pkey PRIMARY KEY (bucket)
);

CREATE TABLE known_page (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  looked_at bigint NOT NULL,
  refresh_at bigint,
  interval_ms bigint,
  class bigint,
  rate double precision NOT NULL,
  weight double precision NOT NULL,
  changes bigint NOT NULL DEFAULT 0,
  changed_ms bigint NOT NULL DEFAULT 0,
  unchanged_ms bigint NOT NULL DEFAULT 0,
  failures bigint NOT NULL DEFAULT 0,
  missing_since bigint,
  hinted_at bigint,
  CONSTRAINT known_page_pkey PRIMARY KEY (bucket, site, key)
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000);
CREATE INDEX known_page_class ON known_page USING btree (bucket, site, class, looked_at, key) WHERE (class IS NOT NULL);
CREATE INDEX known_page_due ON known_page USING btree (bucket, site, refresh_at, key) WHERE (refresh_at IS NOT NULL);

CREATE TABLE links_changed (
  bucket smallint NOT NULL,
  page bigint NOT NULL,
  before bytea,
  CONSTRAINT links_changed_pkey PRIMARY KEY (bucket, page)
);

CREATE TABLE minute (
  bucket smallint NOT NULL,
  minute bigint NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  documents bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  known bigint,
  collected bigint,
  waiting bigint,
  visit_ms bigint NOT NULL DEFAULT 0,
  freshness double precision,
  freshness_bound double precision,
  CONSTRAINT minute_pkey PRIMARY KEY (minute, bucket)
) WITH (fillfactor=50);

CREATE TABLE orbweaver_schema (
  number integer NOT NULL,
  name text NOT NULL,
  done_at timestamp with time zone NOT NULL DEFAULT now(),
  CONSTRAINT orbweaver_schema_pkey PRIMARY KEY (number)
);

CREATE TABLE page (
  bucket smallint NOT NULL,
  id bigint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via text COLLATE "C",
  path text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  outcome text COLLATE "C" NOT NULL,
  why text COLLATE "C",
  detail text COLLATE "C",
  media_type text COLLATE "C" NOT NULL,
  sniffed text COLLATE "C",
  language text COLLATE "C",
  bytes bigint NOT NULL,
  took_ms bigint NOT NULL,
  tries bigint NOT NULL,
  first_at bigint NOT NULL,
  at bigint NOT NULL,
  looks bigint NOT NULL DEFAULT 1,
  digest text COLLATE "C",
  text_digest bigint,
  simhash bigint,
  etag text COLLATE "C",
  last_modified text COLLATE "C",
  title text COLLATE "C" NOT NULL,
  annotations text COLLATE "C" NOT NULL,
  CONSTRAINT page_pkey PRIMARY KEY (bucket, id),
  CONSTRAINT page_bucket_site_key_key UNIQUE (bucket, site, key)
);
CREATE INDEX page_content ON page USING btree (digest) WHERE (outcome = 'kept'::text);

CREATE TABLE page_links (
  bucket smallint NOT NULL,
  page bigint NOT NULL,
  links bytea NOT NULL,
  CONSTRAINT page_links_pkey PRIMARY KEY (bucket, page)
);

CREATE TABLE page_sketch (
  bucket smallint NOT NULL,
  page bigint NOT NULL,
  sketch bytea NOT NULL,
  CONSTRAINT page_sketch_pkey PRIMARY KEY (bucket, page)
);

CREATE TABLE payload (
  shard smallint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  bucket smallint NOT NULL,
  capture bigint NOT NULL,
  seen xid8 NOT NULL DEFAULT pg_current_xact_id(),
  CONSTRAINT payload_pkey PRIMARY KEY (shard, digest)
);
CREATE INDEX payload_news ON payload USING btree (seen);

CREATE TABLE problem (
  name text COLLATE "C" NOT NULL,
  what text COLLATE "C" NOT NULL,
  since bigint NOT NULL,
  seen_at bigint NOT NULL,
  mailed_at bigint,
  CONSTRAINT problem_pkey PRIMARY KEY (name)
);

CREATE TABLE recheck (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  first_worker text COLLATE "C" NOT NULL,
  first_at bigint NOT NULL,
  digest text COLLATE "C" NOT NULL,
  text_digest bigint NOT NULL,
  simhash bigint NOT NULL,
  second_worker text COLLATE "C",
  second_at bigint,
  comparison text COLLATE "C",
  CONSTRAINT recheck_pkey PRIMARY KEY (bucket, site, key)
);

CREATE TABLE refresh_price (
  one bigint NOT NULL,
  price double precision NOT NULL,
  adapted_at bigint NOT NULL,
  CONSTRAINT refresh_price_one_check CHECK ((one = 1)),
  CONSTRAINT refresh_price_pkey PRIMARY KEY (one)
);

CREATE TABLE seed (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  added_at bigint NOT NULL,
  source text COLLATE "C" NOT NULL DEFAULT 'given'::text,
  CONSTRAINT seed_pkey PRIMARY KEY (bucket, site, key)
);
CREATE INDEX seed_source ON seed USING btree (bucket, source);

CREATE TABLE server (
  id text COLLATE "C" NOT NULL,
  url text COLLATE "C" NOT NULL,
  version text COLLATE "C" NOT NULL,
  settings text COLLATE "C" NOT NULL DEFAULT '{}'::text,
  started_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  computer text COLLATE "C",
  CONSTRAINT server_pkey PRIMARY KEY (id)
);

CREATE TABLE site (
  bucket smallint NOT NULL,
  key bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  reason text COLLATE "C",
  since bigint NOT NULL,
  seed bigint NOT NULL DEFAULT 0,
  rank double precision NOT NULL,
  losses bigint NOT NULL DEFAULT 0,
  deferral bigint NOT NULL DEFAULT 0,
  not_before bigint NOT NULL DEFAULT 0,
  polite_at bigint NOT NULL DEFAULT 0,
  pause bigint NOT NULL DEFAULT 0,
  address text COLLATE "C",
  holder text COLLATE "C" NOT NULL DEFAULT ''::text,
  fence bigint NOT NULL DEFAULT 0,
  worker text COLLATE "C",
  lease_until bigint,
  entered text COLLATE "C",
  granted bigint NOT NULL DEFAULT 0,
  part bigint NOT NULL DEFAULT 0,
  seq bigint NOT NULL DEFAULT 0,
  known bigint NOT NULL DEFAULT 0,
  waiting bigint NOT NULL DEFAULT 0,
  refreshing bigint NOT NULL DEFAULT 0,
  stopped text COLLATE "C",
  region text COLLATE "C" NOT NULL DEFAULT ''::text,
  near_region text COLLATE "C" NOT NULL DEFAULT ''::text,
  near_ms double precision,
  far_ms double precision,
  near_tried bigint NOT NULL DEFAULT 0,
  CONSTRAINT site_pkey PRIMARY KEY (bucket, key)
) WITH (fillfactor=80, autovacuum_vacuum_scale_factor=0.02, autovacuum_vacuum_threshold=5000);
CREATE INDEX site_free ON site USING btree (bucket, holder, losses, deferral, rank) WHERE (state = 'free'::text);
CREATE INDEX site_held ON site USING btree (bucket, address) WHERE (holder > ''::text);
CREATE INDEX site_leaning ON site USING btree (bucket, region, not_before) WHERE (state = 'waiting'::text);
CREATE INDEX site_name ON site USING btree (name);
CREATE INDEX site_out ON site USING btree (bucket, lease_until) WHERE (lease_until IS NOT NULL);
CREATE INDEX site_waiting ON site USING btree (bucket, not_before) WHERE (state = 'waiting'::text);
CREATE INDEX site_worker ON site USING btree (bucket, worker) WHERE (worker IS NOT NULL);
CREATE TRIGGER site_added AFTER INSERT ON site REFERENCING NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION site_added();
CREATE TRIGGER site_changed AFTER UPDATE ON site REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT EXECUTE FUNCTION site_changed();
CREATE TRIGGER site_removed AFTER DELETE ON site REFERENCING OLD TABLE AS old_rows FOR EACH STATEMENT EXECUTE FUNCTION site_removed();

CREATE TABLE site_alias (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  original text COLLATE "C" NOT NULL,
  how text COLLATE "C" NOT NULL,
  https bigint NOT NULL,
  since bigint NOT NULL,
  evidence text COLLATE "C" NOT NULL,
  pending bigint NOT NULL,
  CONSTRAINT site_alias_pkey PRIMARY KEY (bucket, site)
);
CREATE INDEX site_alias_original ON site_alias USING btree (original);
CREATE INDEX site_alias_pending ON site_alias USING btree (bucket, site) WHERE (pending = 1);

CREATE TABLE site_looks (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  looks bigint NOT NULL,
  changes bigint NOT NULL,
  changed_ms bigint NOT NULL,
  unchanged_ms bigint NOT NULL,
  hints_right bigint NOT NULL,
  hints_wrong bigint NOT NULL,
  unhinted bigint NOT NULL,
  planned_at bigint,
  CONSTRAINT site_looks_pkey PRIMARY KEY (bucket, site)
) WITH (fillfactor=80);

CREATE TABLE site_memory (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  memory text COLLATE "C" NOT NULL,
  CONSTRAINT site_memory_pkey PRIMARY KEY (bucket, site)
);

CREATE TABLE site_robots (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  robots text COLLATE "C" NOT NULL,
  CONSTRAINT site_robots_pkey PRIMARY KEY (bucket, site)
);

CREATE TABLE site_stats (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  requests bigint NOT NULL DEFAULT 0,
  documents bigint NOT NULL DEFAULT 0,
  bytes bigint NOT NULL DEFAULT 0,
  first_at bigint NOT NULL,
  last_at bigint NOT NULL,
  errors bigint NOT NULL DEFAULT 0,
  visit_ms bigint NOT NULL DEFAULT 0,
  CONSTRAINT site_stats_pkey PRIMARY KEY (bucket, site)
) WITH (fillfactor=80);

CREATE TABLE site_traps (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  traps text COLLATE "C" NOT NULL,
  CONSTRAINT site_traps_pkey PRIMARY KEY (bucket, site)
);

CREATE TABLE site_visits (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  visits text COLLATE "C" NOT NULL,
  CONSTRAINT site_visits_pkey PRIMARY KEY (bucket, site)
);

CREATE TABLE unendorsed_site (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  domain bigint NOT NULL,
  referrer bigint,
  since bigint NOT NULL,
  hold_state bigint NOT NULL,
  CONSTRAINT unendorsed_site_pkey PRIMARY KEY (bucket, site)
);
CREATE INDEX unendorsed_of ON unendorsed_site USING btree (domain, hold_state, since, site);

CREATE TABLE url (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via_site bigint,
  via_key bigint,
  path text COLLATE "C" NOT NULL,
  seq bigint NOT NULL,
  enqueued_at bigint NOT NULL,
  due_at bigint NOT NULL,
  tries bigint NOT NULL DEFAULT 0,
  mark bigint NOT NULL,
  lastmod bigint,
  CONSTRAINT url_pkey PRIMARY KEY (bucket, site, key)
) WITH (fillfactor=90, autovacuum_vacuum_insert_scale_factor=0.05);
CREATE INDEX url_held ON url USING btree (bucket, site) WHERE (mark = 8);
CREATE INDEX url_waiting ON url USING btree (bucket, site, due_at, seq) WHERE (mark = 0);

CREATE TABLE url_spelling (
  bucket smallint NOT NULL,
  site bigint NOT NULL,
  key bigint NOT NULL,
  "position" bigint NOT NULL,
  url text COLLATE "C" NOT NULL,
  depth bigint NOT NULL,
  via_site bigint,
  via_key bigint,
  path text COLLATE "C" NOT NULL,
  tried bigint NOT NULL,
  CONSTRAINT url_spelling_pkey PRIMARY KEY (bucket, site, key, "position")
);

CREATE TABLE volume (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  name text COLLATE "C" NOT NULL,
  removed_bytes bigint NOT NULL DEFAULT 0,
  CONSTRAINT volume_pkey PRIMARY KEY (id),
  CONSTRAINT volume_name_key UNIQUE (name)
);

CREATE TABLE volume_location (
  name text COLLATE "C" NOT NULL,
  node text COLLATE "C" NOT NULL,
  worker text COLLATE "C" NOT NULL,
  bytes bigint NOT NULL,
  sealed bigint NOT NULL,
  CONSTRAINT volume_location_pkey PRIMARY KEY (name, node)
);

CREATE TABLE worker (
  id text COLLATE "C" NOT NULL,
  name text COLLATE "C" NOT NULL,
  region text COLLATE "C",
  secret_hash bytea NOT NULL,
  version text COLLATE "C" NOT NULL,
  state text COLLATE "C" NOT NULL,
  registered_at bigint NOT NULL,
  seen_at bigint NOT NULL,
  visits bigint NOT NULL DEFAULT 0,
  late_ms double precision NOT NULL DEFAULT 0,
  pages_per_second double precision NOT NULL DEFAULT 0,
  computer text COLLATE "C",
  clock_offset_ms double precision,
  CONSTRAINT worker_pkey PRIMARY KEY (id)
);

CREATE TABLE worker_call (
  id bigint NOT NULL GENERATED BY DEFAULT AS IDENTITY,
  at bigint NOT NULL,
  worker text COLLATE "C" NOT NULL,
  call text COLLATE "C" NOT NULL,
  visit text COLLATE "C",
  result text COLLATE "C" NOT NULL,
  items bigint NOT NULL,
  bytes bigint NOT NULL,
  took_ms double precision NOT NULL,
  CONSTRAINT worker_call_pkey PRIMARY KEY (id)
);
CREATE INDEX worker_call_at ON worker_call USING btree (at);
CREATE INDEX worker_call_of ON worker_call USING btree (worker, at);

CREATE VIEW aliases AS
 SELECT name AS site,
    original,
    how,
    to_char((to_timestamp((((since)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS since,
    evidence
   FROM site_alias;

CREATE VIEW audits AS
 SELECT id,
    to_char((to_timestamp((((at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS at,
    who,
    action,
    subject,
    before,
    after
   FROM audit;

CREATE VIEW captures AS
 SELECT c.id,
    c.url,
    s.name AS site,
    to_char((to_timestamp((((c.at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS at,
    c.status,
    c.media_type,
    c.kind,
    c.duplicate,
    c.digest,
    v.name AS volume,
    c."offset",
    c.length,
    c.change,
    c.place
   FROM ((capture c
     JOIN volume v ON ((v.id = c.volume)))
     LEFT JOIN site_stats s ON (((s.bucket = c.bucket) AND (s.site = c.site))));

CREATE VIEW counters AS
 SELECT name,
    (sum(value))::bigint AS value
   FROM counter
  GROUP BY name;

CREATE VIEW domains AS
 SELECT name AS domain,
    sites,
    (sites - unendorsed) AS endorsed,
    held,
    wildcard,
    addresses,
    to_char((to_timestamp((((probed_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS probed_at
   FROM domain;

CREATE VIEW duplicates AS
 SELECT digest,
    count(*) AS pages,
    min(bytes) AS bytes,
    min(url) AS one_url
   FROM page p
  WHERE ((outcome = 'kept'::text) AND (digest IS NOT NULL))
  GROUP BY digest
 HAVING (count(*) > 1);

CREATE VIEW failed_looks AS
 SELECT p.url,
    to_char((to_timestamp((((l.at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS at,
    l.status,
    l.outcome,
    l.why,
    l.detail
   FROM (failed_look l
     JOIN page p ON (((p.bucket = l.bucket) AND (p.site = l.site) AND (p.key = l.key))));

CREATE VIEW hazards AS
 SELECT s.name AS site,
    v.rule,
    v.pattern,
    v.evidence,
    v.examples,
    to_char((to_timestamp((((v.at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS at,
    to_char((to_timestamp((((v.withdrawn_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS withdrawn_at
   FROM (finding v
     LEFT JOIN site_stats s ON (((s.bucket = v.bucket) AND (s.site = v.site))));

CREATE VIEW pages AS
 SELECT p.url,
    s.name AS site,
    p.depth,
    p.via,
    p.path,
    p.status,
    p.outcome,
    p.why,
    p.detail,
    p.media_type,
    p.sniffed,
    p.language,
    p.bytes,
    p.took_ms,
    p.tries,
    p.looks,
    p.digest,
    p.title,
    p.annotations,
    to_char((to_timestamp((((p.first_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS first_at,
    to_char((to_timestamp((((p.at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS at
   FROM (page p
     LEFT JOIN site_stats s ON (((s.bucket = p.bucket) AND (s.site = p.site))));

CREATE VIEW rechecks AS
 SELECT url,
    first_worker,
    to_char((to_timestamp((((first_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS first_at,
    second_worker,
    to_char((to_timestamp((((second_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS second_at,
    comparison
   FROM recheck;

CREATE VIEW seeds AS
 SELECT s.url,
    f.name AS site,
    s.source,
        CASE u.mark
            WHEN 0 THEN 'waiting'::text
            WHEN 1 THEN 'kept'::text
            WHEN 2 THEN 'moved'::text
            WHEN 3 THEN 'refused'::text
            WHEN 6 THEN 'read'::text
            WHEN 7 THEN 'moved'::text
            WHEN 8 THEN 'held'::text
            ELSE 'gone'::text
        END AS state,
    to_char((to_timestamp((((s.added_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS added_at
   FROM ((seed s
     JOIN url u ON (((u.bucket = s.bucket) AND (u.site = s.site) AND (u.key = s.key))))
     JOIN site f ON (((f.bucket = s.bucket) AND (f.key = s.site))));

CREATE VIEW sites AS
 SELECT f.name AS site,
    f.state,
    f.reason,
    f.seed,
    f.known AS urls,
    f.waiting,
    f.refreshing,
    f.address,
    COALESCE(s.requests, (0)::bigint) AS requests,
    COALESCE(s.documents, (0)::bigint) AS documents,
    COALESCE(s.bytes, (0)::bigint) AS bytes,
    to_char((to_timestamp((((s.first_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS first_at,
    to_char((to_timestamp((((s.last_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS last_at
   FROM (site f
     LEFT JOIN site_stats s ON (((s.bucket = f.bucket) AND (s.site = f.key))));

CREATE VIEW urls AS
 SELECT u.url,
    f.name AS site,
    u.depth,
    u.path,
    v.url AS via,
    u.tries,
        CASE u.mark
            WHEN 0 THEN 'waiting'::text
            WHEN 1 THEN 'kept'::text
            WHEN 2 THEN 'moved'::text
            WHEN 3 THEN 'refused'::text
            WHEN 6 THEN 'read'::text
            WHEN 7 THEN 'moved'::text
            WHEN 8 THEN 'held'::text
            ELSE 'gone'::text
        END AS state,
    to_char((to_timestamp((((u.enqueued_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS enqueued_at,
    to_char((to_timestamp((((u.lastmod)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS lastmod,
    to_char((to_timestamp((((k.looked_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS looked_at,
    to_char((to_timestamp((((k.refresh_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS refresh_at,
    k.rate,
    k.weight
   FROM (((url u
     JOIN site f ON (((f.bucket = u.bucket) AND (f.key = u.site))))
     LEFT JOIN known_page k ON (((k.bucket = u.bucket) AND (k.site = u.site) AND (k.key = u.key))))
     LEFT JOIN url v ON (((v.bucket = ((u.via_site >> 56) & (255)::bigint)) AND (v.site = u.via_site) AND (v.key = u.via_key))));

CREATE VIEW worker_calls AS
 SELECT c.id,
    to_char((to_timestamp((((c.at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS at,
    w.name,
    c.worker,
    c.call,
    c.visit,
    c.result,
    c.items,
    c.bytes,
    c.took_ms
   FROM (worker_call c
     LEFT JOIN worker w ON ((w.id = c.worker)));

CREATE VIEW workers AS
 SELECT id AS worker,
    name,
    region,
    version,
    state,
    visits,
    pages_per_second,
    late_ms,
    to_char((to_timestamp((((registered_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS registered_at,
    to_char((to_timestamp((((seen_at)::numeric / 1000.0))::double precision) AT TIME ZONE 'UTC'::text), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'::text) AS seen_at
   FROM worker;
