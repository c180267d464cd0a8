import { startEmbeddedPostgres } from "/work/main/server/embedded-postgres";
const pg = await startEmbeddedPostgres({ directory: "/tmp/scale/db/postgres" });
console.log(pg.url);
process.on("SIGTERM", async () => { await pg.stop(); process.exit(0); });
setInterval(() => {}, 1e6);
