// Every page of the seeds' hosts with an agent of BUbiNG.
//
//	java BubingBench PROPERTIES_FILE
import it.unimi.di.law.bubing.Agent;
import java.lang.management.ManagementFactory;
import java.util.Set;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.ObjectName;

public class BubingBench {
    /** How long no request may be made before this is the end. New URLs wait at least ten seconds at its sieve. */
    private static final int QUIET_SECONDS = 25;

    public static void main(String[] args) throws Exception {
        Thread watcher = new Thread(BubingBench::stopWhenQuiet);
        watcher.setDaemon(true);
        watcher.start();
        Agent.main(new String[] {"-g", "bench", "-h", "127.0.0.1", "-n", "-P", args[0], "agent"});
    }

    /** An agent never ends. Sleeping here costs next to no CPU, which is what is measured. */
    private static void stopWhenQuiet() {
        try {
            MBeanServer beans = ManagementFactory.getPlatformMBeanServer();
            ObjectName any = new ObjectName("it.unimi.di.law.bubing:*");
            long last = 0;
            for (int quiet = 0; quiet < QUIET_SECONDS; ) {
                Thread.sleep(1000);
                Set<ObjectName> agents = beans.queryNames(any, null);
                if (agents.isEmpty()) continue;
                long requests = requests(beans, agents.iterator().next());
                quiet = requests > 0 && requests == last ? quiet + 1 : 0;
                last = requests;
            }
            beans.invoke(beans.queryNames(any, null).iterator().next(), "stop", null, null);
        } catch (Exception failed) {
            failed.printStackTrace();
            System.exit(1);
        }
    }

    private static long requests(MBeanServer beans, ObjectName agent) {
        try {
            return (Long) beans.getAttribute(agent, "requests");
        } catch (JMException | RuntimeException notYet) {
            // The agent can be seen before it has a frontier to count for it.
            return 0;
        }
    }
}
