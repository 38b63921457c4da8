import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.InputStream;
import org.jwat.common.Diagnosis;
import org.jwat.warc.WarcReader;
import org.jwat.warc.WarcReaderFactory;
import org.jwat.warc.WarcRecord;

/** Reads a volume with JWAT, both digests computed again: a line for each complaint, the number of records at the end. */
class JwatCheck {
  public static void main(String[] args) throws Exception {
    try (InputStream in = new BufferedInputStream(new FileInputStream(args[0]))) {
      WarcReader reader = WarcReaderFactory.getReader(in, 8192);
      reader.setBlockDigestEnabled(true);
      reader.setPayloadDigestEnabled(true);
      int records = 0;
      for (WarcRecord record; (record = reader.getNextRecord()) != null; records++) {
        record.close();
        print(record.header.warcTypeStr, record.diagnostics.getErrors());
        print(record.header.warcTypeStr, record.diagnostics.getWarnings());
      }
      print("volume", reader.diagnostics.getErrors());
      print("volume", reader.diagnostics.getWarnings());
      System.out.println(records + " records, " + (reader.isCompliant() ? "compliant" : "not compliant"));
    }
  }

  static void print(String where, Iterable<Diagnosis> found) {
    for (Diagnosis one : found) System.out.println("complaint: " + where + " " + one.type + " " + one.entity);
  }
}
