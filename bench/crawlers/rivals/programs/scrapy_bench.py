"""Every page of the seeds' hosts, by the settings that Scrapy's documentation advises for broad crawls.

    python scrapy_bench.py SEED_FILE

The proxy is the one of the environment: robots.txt goes through it, too.
"""

import sys
from urllib.parse import urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.linkextractors import LinkExtractor

SEEDS = open(sys.argv[1]).read().split()
HOSTS = {urlsplit(seed).netloc for seed in SEEDS}


class BenchSpider(scrapy.Spider):
    name = "bench"
    links = LinkExtractor(tags=("a",), attrs=("href",))

    async def start(self):
        for seed in SEEDS:
            yield scrapy.Request(seed)

    def parse(self, response):
        # A set is cheaper than the pattern of 200 names that allowed_domains would be.
        for link in self.links.extract_links(response):
            if urlsplit(link.url).netloc in HOSTS:
                yield scrapy.Request(link.url)


process = CrawlerProcess(
    {
        "ROBOTSTXT_OBEY": True,
        "CONCURRENT_REQUESTS": 100,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 8,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": False,
        "SCHEDULER_PRIORITY_QUEUE": "scrapy.pqueues.DownloaderAwarePriorityQueue",
        "REACTOR_THREADPOOL_MAXSIZE": 20,
        "COOKIES_ENABLED": False,
        "RETRY_ENABLED": False,
        "DEPTH_LIMIT": 0,
        "TELNETCONSOLE_ENABLED": False,
        "LOG_LEVEL": "ERROR",
    }
)
process.crawl(BenchSpider)
process.start()
