import type { Database } from "@/db/client";
import { options } from "@/db/schema";
import type { Row, Times } from "./fault";
import { usualTimes } from "./fault";

const seconds = (ms: number): number => ms / 1_000;

/**
 * Sets the options that the table needs. With the usual times that is only one: where a whole answer never comes, its
 * limit of 120 s is set to that of a stream, so that the table ends soon.
 */
export async function setLimits(db: Database, rows: readonly Row[], times: Times): Promise<void> {
  const silent = rows.filter(({ isStream, fault }) => !isStream && fault.isSilent === true);
  const limits = { first_byte_whole: seconds(times.firstByteMs) };
  const values = [
    {
      key: "UpstreamModelLimits",
      value: JSON.stringify(Object.fromEntries(silent.map(({ model }) => [model, limits]))),
    },
  ];
  if (times !== usualTimes) {
    values.push(
      { key: "UpstreamFirstByteSeconds", value: String(seconds(times.firstByteMs)) },
      { key: "UpstreamFirstTokenSeconds", value: String(seconds(times.firstTokenMs)) },
      { key: "UpstreamIdleSeconds", value: String(seconds(times.idleMs)) },
    );
  }
  await db.insert(options).values(values);
}
