// Every page of the seeds' hosts with StormCrawler in a Storm of its own, its answers in WARC.
//
//	java StormCrawlerBench SEED_FILE FOLDER
//
// The proxy is the JVM's: that of StormCrawler's own settings makes a new client for every request.
import java.io.File;
import java.util.Date;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;
import org.apache.storm.Config;
import org.apache.storm.LocalCluster;
import org.apache.storm.generated.KillOptions;
import org.apache.storm.topology.TopologyBuilder;
import org.apache.storm.tuple.Fields;
import org.apache.storm.tuple.Tuple;
import org.apache.storm.utils.Utils;
import org.apache.stormcrawler.Constants;
import org.apache.stormcrawler.Metadata;
import org.apache.stormcrawler.bolt.FetcherBolt;
import org.apache.stormcrawler.bolt.JSoupParserBolt;
import org.apache.stormcrawler.bolt.URLPartitionerBolt;
import org.apache.stormcrawler.indexing.DummyIndexer;
import org.apache.stormcrawler.persistence.MemoryStatusUpdater;
import org.apache.stormcrawler.persistence.Status;
import org.apache.stormcrawler.spout.FileSpout;
import org.apache.stormcrawler.spout.MemorySpout;
import org.apache.stormcrawler.util.ConfUtils;
import org.apache.stormcrawler.warc.WARCFileNameFormat;
import org.apache.stormcrawler.warc.WARCHdfsBolt;

public class StormCrawlerBench {
    /** How long nothing may be known that is not done, and no volume grow, before this is the end. */
    private static final int QUIET_SECONDS = 3;

    public static void main(String[] args) throws Exception {
        File volumes = new File(args[1]);
        // Else it says several lines about each page.
        Configurator.setAllLevels(LogManager.ROOT_LOGGER_NAME, Level.WARN);
        try (LocalCluster cluster = new LocalCluster()) {
            cluster.submitTopology("bench", settings(), topology(args[0], volumes).createTopology());
            awaitEnd(volumes);
            KillOptions atOnce = new KillOptions();
            atOnce.set_wait_secs(0);
            cluster.killTopologyWithOpts("bench", atOnce);
        }
        System.out.println(Counted.done.get());
        System.exit(0);
    }

    private static TopologyBuilder topology(String seeds, File volumes) {
        TopologyBuilder builder = new TopologyBuilder();
        builder.setSpout("seeds", new FileSpout(true, seeds));
        builder.setSpout("spout", new MemorySpout());
        builder.setBolt("partitioner", new URLPartitionerBolt()).shuffleGrouping("spout");
        builder.setBolt("fetch", new FetcherBolt()).fieldsGrouping("partitioner", new Fields("key"));
        int parsers = Runtime.getRuntime().availableProcessors();
        builder.setBolt("parse", new JSoupParserBolt(), parsers).localOrShuffleGrouping("fetch");
        builder.setBolt("index", new DummyIndexer()).localOrShuffleGrouping("parse");
        WARCHdfsBolt warc = new WARCHdfsBolt();
        warc.withFileNameFormat(new WARCFileNameFormat().withPath(volumes.getPath()));
        warc.withConfigKey("warc");
        warc.withRequestRecords();
        builder.setBolt("warc", warc).localOrShuffleGrouping("fetch");
        Fields url = new Fields("url");
        builder.setBolt("status", new Counted())
                .fieldsGrouping("seeds", Constants.StatusStreamName, url)
                .fieldsGrouping("fetch", Constants.StatusStreamName, url)
                .fieldsGrouping("parse", Constants.StatusStreamName, url)
                .fieldsGrouping("index", Constants.StatusStreamName, url);
        return builder;
    }

    private static Config settings() {
        Config conf = new Config();
        Map<String, Object> defaults = Utils.findAndReadConfigFile("crawler-default.yaml", false);
        conf.putAll(ConfUtils.extractConfigElement(defaults));
        conf.setNumWorkers(1);
        conf.setMessageTimeoutSecs(300);
        // Its spout in memory repeats nothing that failed, so acknowledgements would only cost.
        conf.setNumAckers(0);
        // By default a bolt with nothing to do looks for work all the time.
        conf.put("topology.bolt.wait.strategy", "org.apache.storm.policy.WaitStrategyPark");
        conf.put("topology.bolt.wait.park.microsec", 1000);
        conf.put("http.agent.name", "bench");
        conf.put("http.agent.url", "https://crawler.example/");
        for (String scheme : new String[] {"http", "https"})
            conf.put(scheme + ".protocol.implementation", "org.apache.stormcrawler.protocol.okhttp.HttpProtocol");
        conf.put("okhttp.protocol.connection.pool", Map.of("max.idle.connections", 256, "connection.keep.alive", 300));
        conf.put("http.store.headers", true);
        conf.put("fetcher.server.delay", 0);
        conf.put("fetcher.threads.number", 64);
        conf.put("urlfilters.config.file", "urlfilters.json");
        // What nobody reads here is not made.
        conf.put("textextractor.no.text", true);
        conf.put("track.anchors", false);
        conf.put("metadata.track.path", false);
        conf.put("metadata.track.depth", false);
        conf.put("detect.mimetype", false);
        conf.put("detect.charset.fast", true);
        conf.put("fetchInterval.default", -1);
        conf.put("fetchInterval.fetch.error", -1);
        // What falls out of this cache is fetched again.
        conf.put("status.updater.cache.spec", "maximumSize=2000000");
        conf.put("warc", Map.of("fs.file.impl", "org.apache.hadoop.fs.RawLocalFileSystem"));
        return conf;
    }

    /** A topology never ends. Sleeping here costs no CPU, which is what is measured. */
    private static void awaitEnd(File volumes) throws InterruptedException {
        long last = -1;
        for (int quiet = 0; quiet < QUIET_SECONDS; ) {
            Thread.sleep(1000);
            long known = Counted.known.get();
            long now = known + bytes(volumes);
            quiet = known > 0 && Counted.done.get() >= known && now == last ? quiet + 1 : 0;
            last = now;
        }
    }

    private static long bytes(File folder) {
        long sum = 0;
        for (File file : folder.listFiles()) sum += file.length();
        return sum;
    }

    /** Its status updater, which also counts. */
    public static class Counted extends MemoryStatusUpdater {
        static final AtomicLong known = new AtomicLong();
        static final AtomicLong done = new AtomicLong();

        @Override
        public void store(String url, Status status, Metadata metadata, Optional<Date> nextFetch, Tuple tuple)
                throws Exception {
            (status == Status.DISCOVERED ? known : done).incrementAndGet();
            super.store(url, status, metadata, nextFetch, tuple);
        }
    }
}
