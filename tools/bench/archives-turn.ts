import { createDatabase } from "@/db/client";
import { FolderStorage } from "@/lib/archive/folder-storage";
import { logger } from "@/lib/logger";
import { clearOldLogs } from "@/lib/usage-log/clear-old-logs-commands";

// One turn of the job that archives and deletes what was cleared, for tools/bench/archives.ts. Tells what it is doing, so that it can
// be killed there.

const {
  DATABASE_URL: url = "",
  ARCHIVE_FOLDER: folder = "",
  ARCHIVE_FORMAT: format,
  PIECE_ROWS: pieceRows,
} = process.env;

const say = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
const { put, get } = FolderStorage.prototype;

FolderStorage.prototype.put = async function (name, content) {
  say({ stage: name.endsWith(".json") ? "manifest" : "data" });
  const size = await put.call(this, name, content);
  say({ stage: "stored" });
  return size;
};
FolderStorage.prototype.get = async function* (name) {
  say({ stage: "verify" });
  yield* get.call(this, name);
};

const database = createDatabase({ url, max: 4, applicationName: "weir-archives-bench" });
const { begin } = database.sql;
// Rows leave PostgreSQL in such a transaction; those of the log store leave it while one holds the lock.
database.sql.begin = ((...terms: Parameters<typeof begin>) => {
  say({ stage: "delete" });
  return begin(...terms);
}) as typeof begin;
logger.info = ((terms: object) => {
  if ("archive" in terms) say({ stage: "noted" });
}) as typeof logger.info;
const startedAt = Date.now();
const result = await clearOldLogs(database.sql, {
  url: `folder:${folder}`,
  format: format === "parquet" ? "parquet" : "jsonl",
  retentionDays: 0,
  now: Math.floor(Date.now() / 1_000),
  ...(pieceRows ? { pieceRows: Number(pieceRows) } : {}),
});
say({ result, seconds: (Date.now() - startedAt) / 1_000, peakMb: Math.round(process.resourceUsage().maxRSS / 1_024) });
await database.end();
process.exit(0);
