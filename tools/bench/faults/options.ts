import type { Database } from "@/db/client";
import { options } from "@/db/schema";
import type { Row, Times } from "./fault";
import { usualTimes } from "./fault";

const seconds = (ms: number): number => ms / 1_000;

/**
 * Sets the options that the table needs. With the usual times those are only the fallback models, and limits for the
 * models that never answer, so that the table ends soon: of a whole answer that of a stream instead of 120 s, and
 * without another candidate 20 s instead of 300 s.
 */
export async function setOptions(db: Database, rows: readonly Row[], times: Times): Promise<void> {
  const silent = rows.filter(({ fault }) => fault.isSilent === true);
  const limits = { first_byte_whole: seconds(times.firstByteMs), alone: seconds(times.aloneMs) };
  const fallbacks = rows.filter(({ setUp }) => setUp === "model");
  const values = [
    {
      key: "UpstreamModelLimits",
      value: JSON.stringify(Object.fromEntries(silent.map(({ model }) => [model, limits]))),
    },
    {
      key: "ModelFallbacks",
      value: JSON.stringify(Object.fromEntries(fallbacks.map(({ model, otherModel }) => [model, [otherModel]]))),
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
