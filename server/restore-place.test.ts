import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { migrateDatabase } from "@/db/migrate";
import { createRunFolder } from "@/lib/testing/run-folder";
import { run as backUp } from "./commands/backup";
import { run as restore } from "./commands/restore";
import { openDataDirectory, unfinishedRestore } from "./data-directory";
import { startEmbeddedPostgres } from "./embedded-postgres";

const folder = createRunFolder("restore");
const data = join(folder, "data");
const file = join(folder, "one.backup");
const before = { ...process.env };
const OLD_SECRET = "the-secret-of-the-old-place-of-it";

beforeAll(async () => {
  chmodSync(folder, 0o711);
  for (const name of ["DATABASE_URL", "WEIR_SECRET", "WEIR_BACKUP_PASSPHRASE"]) delete process.env[name];
  process.env.WEIR_DATA_DIR = data;
  openDataDirectory(data);
  writeFileSync(join(data, "secret"), `${OLD_SECRET}\n`);
  const server = await startEmbeddedPostgres({ directory: join(data, "postgres"), settings: { fsync: "off" } });
  await migrateDatabase(server.url);
  await server.stop();
  expect(await backUp({ plain: true }, [file])).toBe(0);
  delete process.env.WEIR_SECRET;
});

afterAll(() => {
  process.env = before;
  rmSync(folder, { recursive: true, force: true });
});

test("neither encrypted nor said to be plain: no backup is made", async () => {
  const path = join(folder, "two.backup");
  expect(await backUp({}, [path])).toBe(1);
  expect(readdirSync(folder)).not.toContain("two.backup");
});

test("a secret that is not the backup's is refused, and nothing is made", async () => {
  const place = join(folder, "other");
  process.env.WEIR_DATA_DIR = place;
  process.env.WEIR_SECRET = "another-secret-another-secret";
  expect(await restore({}, [file])).toBe(1);
  expect(readdirSync(folder)).not.toContain("other");
  delete process.env.WEIR_SECRET;
  process.env.WEIR_DATA_DIR = data;
});

test("what is replaced is kept: the database, the secret and the journal", async () => {
  writeFileSync(join(data, "secret"), "the-secret-of-the-new-place-of-it\n");
  mkdirSync(join(data, "journal"));
  writeFileSync(join(data, "journal", "left"), "x");
  expect(await restore({ replace: true, yes: true }, [file])).toBe(0);
  expect(readFileSync(join(data, "secret"), "utf8").trim()).toBe(OLD_SECRET);
  const names = readdirSync(data).map((name) => name.replace(/\d{14}/, "TIME"));
  expect(names).toEqual(expect.arrayContaining(["postgres", "postgres-replaced-TIME", "secret.replaced-TIME"]));
  expect(names).not.toContain("restore-unfinished");
  expect(readdirSync(join(data, "journal"))).toEqual([expect.stringMatching(/^replaced-/)]);
});

test("a lost secret is put back from a backup, and the one that was there is kept", async () => {
  const [place, there] = [join(folder, "lost"), () => readFileSync(join(folder, "lost", "secret"), "utf8").trim()];
  process.env.WEIR_DATA_DIR = place;
  expect(await restore({ "secret-only": true }, [file])).toBe(0);
  expect(there()).toBe(OLD_SECRET);
  writeFileSync(join(place, "secret"), "made-by-a-start-without-the-right-one\n");
  expect(await restore({ "secret-only": true }, [file])).toBe(0);
  expect(there()).toBe(OLD_SECRET);
  const names = readdirSync(place).map((name) => name.replace(/\d{14}/, "TIME"));
  expect(names.sort()).toEqual(["secret", "secret.replaced-TIME"]);
  process.env.WEIR_DATA_DIR = data;
});

test("after a restore that was killed at its end Weir does not start until it was repeated", () => {
  writeFileSync(unfinishedRestore(data), "");
  expect(() => openDataDirectory(data)).toThrow("interrupted");
  openDataDirectory(data, { isRestore: true });
  rmSync(unfinishedRestore(data));
});
