import { statfs } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import { createDatabase } from "@/db/client";

/** Of min_wal_size in embedded-postgres.ts, in files of 16 MB. */
const FILES = 32;
/** PostgreSQL removes or adds a few by its own estimate. */
const FILES_ENOUGH = FILES / 2;
/** By then a first start is over, and nobody waits for the disk. */
const LATER_MS = 60_000;
/** With less left on the disk, the server makes its files when it needs them. */
const FREE_BYTES_MIN = 8 * 1_073_741_824;

/**
 * Makes the files of the write-ahead log in advance, 512 MB; they are used again and again afterwards. Otherwise a fresh server
 * makes each of them while commits wait for it. Returns how many it made: 0 where they are there.
 */
export async function fillWal(url: string): Promise<number> {
  const { sql, end } = createDatabase({ url, max: 1, applicationName: "weir-fill-wal" });
  try {
    const [row] = await sql<
      { files: number }[]
    >`select count(*)::int as files from pg_ls_waldir() where size = 16777216`;
    const files = row?.files ?? 0;
    if (files >= FILES_ENOUGH) return 0;
    // A file that holds one message is full for PostgreSQL; the checkpoint keeps it for later use.
    for (let made = files; made < FILES; made++) {
      await sql`select pg_logical_emit_message(false, 'weir', '')`;
      await sql`select pg_switch_wal()`;
    }
    await sql`checkpoint`;
    return FILES - files;
  } finally {
    await end();
  }
}

type LaterSettings = { directory: string; say: (text: string) => void; stopping: AbortSignal };

/** Does it in the background, a minute from now, where the disk has room. A server without these files works, so a failure is only told. */
export function fillWalLater(url: string, { directory, say, stopping }: LaterSettings): void {
  const tell = (error: unknown): void => {
    if (!stopping.aborted) say(`the write-ahead log could not be made in advance: ${String(error)}`);
  };
  delay(LATER_MS, undefined, { signal: stopping, ref: false })
    .then(() => hasRoom(directory))
    .then((isRoomy) => (isRoomy ? fillWal(url) : 0))
    .catch(tell);
}

async function hasRoom(directory: string): Promise<boolean> {
  const { bavail, bsize } = await statfs(directory);
  return bavail * bsize >= FREE_BYTES_MIN;
}
