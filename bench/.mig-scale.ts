import { createDatabase } from "@/db/client";
import { runSummingJobs } from "@/db/generate-scale";
import { migrateDatabase } from "@/db/migrate";

const url = process.env.SCALE_URL ?? "";
const t = performance.now();
const say = (x: string) => console.log(((performance.now() - t) / 1000).toFixed(1), x);
await migrateDatabase(url);
say("migrated");
const { sql, end } = createDatabase({ url, max: 1, applicationName: "mig" });
await sql`vacuum analyze`;
say("vacuumed");
await runSummingJobs(sql, say);
await sql`vacuum analyze`;
say("done");
await end();
