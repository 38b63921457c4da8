//! Every page of the seeds' hosts with the crate spider, a WARC file (not compressed) for each site.
//!
//!     spider-bench SEED_FILE PROXY FOLDER
use spider::utils::warc::WarcConfig;
use spider::website::Website;
use std::sync::Arc;
use tokio::{sync::Semaphore, task::JoinSet};

#[tokio::main]
async fn main() {
    let args: Vec<String> = std::env::args().collect();
    let (seeds, proxy, folder) = (&args[1], &args[2], &args[3]);
    let seeds = std::fs::read_to_string(seeds).expect("the list of seeds");
    let places = Arc::new(Semaphore::new(64));
    let mut sites = JoinSet::new();
    for (number, seed) in seeds.lines().enumerate() {
        let mut site = Website::new(seed);
        site.with_respect_robots_txt(true).with_delay(0).with_proxies(Some(vec![proxy.clone()]));
        site.configuration.with_warc(WarcConfig { path: format!("{folder}/{number}.warc"), ..Default::default() });
        let places = places.clone();
        sites.spawn(async move {
            let _place = places.acquire().await;
            site.crawl().await;
            site.unsubscribe();
            site.warc_record_count()
        });
    }
    let mut records = 0;
    while let Some(count) = sites.join_next().await {
        records += count.unwrap_or(0);
    }
    println!("{records}");
}
