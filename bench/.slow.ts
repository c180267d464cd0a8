import { createDatabase } from "@/db/client";
import { sumLogs } from "@/lib/log/sum-queries";
import { findPeople } from "./list-people";
const url = process.env.SCALE_URL ?? "";
const heard: [string, unknown[]][] = [];
const db = createDatabase({ url, max: 10, applicationName: "x", isForSearches: true, onStatement: (t, p) => heard.push([t, [...p]]) });
const { admin, names } = await findPeople(db);
for (const turn of [0, 2, 4]) {
  heard.length = 0;
  const t = performance.now();
  await sumLogs(admin.ctx, { username: names[turn], group: turn % 4 ? "none" : "vip" });
  console.log("TURN", turn, (performance.now() - t).toFixed(1));
  for (const [text, params] of [...heard]) {
    if (/pg_catalog/.test(text)) continue;
    const t2 = performance.now();
    const rows = await db.sql.unsafe(`explain (analyze, buffers) ${text}`, params as never[]);
    console.log((performance.now() - t2).toFixed(1), text.slice(0, 300).replace(/\s+/g, " "));
    console.log(rows.map((r) => Object.values(r)[0]).join("\n").slice(0, 1800));
  }
}
await db.end();
