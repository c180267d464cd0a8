// Addresses of databases as people have them: from libpq, Prisma, SQLAlchemy, JDBC, cloud consoles and files. Each is read as its
// inventor means it, or refused by name with what to write. No refusal holds a part of the address that may be a password.

import { mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { connect } from "@/db/connect";
import { describePlace, readDatabaseAddress } from "@/db/database-address";
import { parseLogStoreUrl } from "@/lib/log-store/config";
import { createTestDatabase, type TestDatabase } from "@/lib/testing/database";
import { openSource } from "@/tools/import/sources/open";

const folder = mkdtempSync(join(tmpdir(), "weir-address-"));
const pem = join(folder, "ca.pem");
writeFileSync(pem, "-----BEGIN CERTIFICATE-----\nAA==\n-----END CERTIFICATE-----\n");

beforeEach(() => {
  for (const name of ["PGHOST", "PGPORT", "PGUSER", "PGPASSWORD", "PGDATABASE", "PGSSLMODE", "PGAPPNAME"])
    vi.stubEnv(name, undefined);
});

/** What is read, and only that of it which the form is about. */
const READ: [string, Record<string, unknown>][] = [
  [
    "postgres://weir:pw@db/weir",
    { hosts: ["db"], ports: [5432], user: "weir", password: "pw", database: "weir", ssl: false },
  ],
  ["postgresql://weir:pw@db:6000/weir", { ports: [6000] }],
  ["POSTGRES://weir@db/weir", { hosts: ["db"], password: undefined }],
  ["postgres://weir:pw@[::1]/weir", { hosts: ["::1"], ports: [5432] }],
  ["postgres://weir:pw@[::1]:5433/weir", { hosts: ["::1"], ports: [5433] }],
  ["postgres://weir:pw@[fe80::1%25eth0]:5433/weir", { hosts: ["fe80::1%eth0"] }],
  ["postgres://app%20user:pw@db/my%20data", { user: "app user", database: "my data" }],
  ["postgres://J%C3%BCrgen:p%C3%A4ss@db/M%C3%BCll", { user: "Jürgen", password: "päss", database: "Müll" }],
  ["postgres://Jürgen:päss@db/Müll", { user: "Jürgen", password: "päss", database: "Müll" }],
  ["postgres://weir:a%23b%2Fc%3Fd%25e%40f%3Ag%20h%2Bi+j@db/weir", { password: "a#b/c?d%e@f:g h+i+j", hosts: ["db"] }],
  ["postgres://weir:p@ss@w@db/weir", { hosts: ["db"], user: "weir", password: "p@ss@w" }],
  ["postgres://weir:a:b:c@db/weir", { user: "weir", password: "a:b:c" }],
  ["postgres://user%40server:pw@server.postgres.example/weir", { user: "user@server" }],
  ["postgres://weir:pw@a:1,b:2,[::1]:3/weir", { hosts: ["a", "b", "::1"], ports: [1, 2, 3] }],
  [
    "postgres://weir:pw@a,b/weir?target_session_attrs=primary",
    { hosts: ["a", "b"], ports: [5432, 5432], target: "primary" },
  ],
  ["postgres:///weir?host=a,b&port=1,2", { hosts: ["a", "b"], ports: [1, 2] }],
  ["postgres:///weir?host=a,b&port=6000", { hosts: ["a", "b"], ports: [6000, 6000] }],
  ["postgres:///weir?host=/run/pg", { folder: "/run/pg", hosts: [], ports: [5432] }],
  ["postgres://weir@localhost:6000/weir?host=/run/pg/", { folder: "/run/pg", ports: [6000] }],
  ["postgres://%2Frun%2Fpg:6000/weir", { folder: "/run/pg", ports: [6000] }],
  ["postgres://weir:pw@%2Frun%2Fpg/weir?sslmode=require", { folder: "/run/pg", ssl: false }],
  ["postgres://db/weir?user=ann&password=p%26w", { user: "ann", password: "p&w" }],
  ["postgres://db?dbname=weir", { database: "weir" }],
  [
    "postgres://weir@db.example/weir?hostaddr=10.0.0.7&sslmode=require",
    { hosts: ["10.0.0.7"], ssl: { rejectUnauthorized: false, servername: "db.example" } },
  ],
  ["postgres://weir@bücher.example/weir", { hosts: ["xn--bcher-kva.example"] }],
  ["  postgres://weir@db/weir \r\n", { hosts: ["db"], database: "weir" }],
  ['"postgres://weir@db/weir"', { database: "weir" }],
  ["'postgres://weir@db/weir'\n", { database: "weir" }],
  ["\uFEFFpostgres://weir@db/weir", { database: "weir" }],
  [
    "host=db port=6000 dbname=weir user='my user' password='it\\'s'",
    { hosts: ["db"], ports: [6000], user: "my user", password: "it's" },
  ],
  ["host=/run/pg dbname=weir", { folder: "/run/pg" }],
  [
    "jdbc:postgresql://db:6000/weir?user=ann&password=pw&currentSchema=app&ApplicationName=shop",
    { ports: [6000], user: "ann", session: { search_path: "app" }, applicationName: "shop" },
  ],
  ["jdbc:postgresql://a,b/weir?targetServerType=master&prepareThreshold=0", { target: "primary", prepare: false }],
  [
    "postgresql+asyncpg://weir:pw@db/weir?ssl=require&prepared_statement_cache_size=0",
    { ssl: { rejectUnauthorized: false, host: "db" }, prepare: false },
  ],
  ["postgresql+psycopg2://weir:pw@db/weir", { hosts: ["db"] }],
  ["postgres://weir@db/weir?schema=app", { session: { search_path: "app" } }],
  ["postgres://weir@db/weir?schema=My%20App", { session: { search_path: '"My App"' } }],
  ["postgres://weir@db/weir?search_path=app,public", { session: { search_path: "app,public" } }],
  ["postgres://weir@db/weir?options=-c%20search_path%3Dapp", { session: { options: "-c search_path=app" } }],
  ["postgres://weir@db/weir?options=project%3Dep-1", { session: { options: "project=ep-1" } }],
  ["postgres://weir@db/weir?role=owner&timezone=UTC", { session: { role: "owner", timezone: "UTC" } }],
  ["postgres://weir@db/weir?application_name=shop%20A", { applicationName: "shop A" }],
  ["postgres://weir@db/weir?connect_timeout=30", { connectSeconds: 30 }],
  ["postgres://weir@db/weir?connect_timeout=1", { connectSeconds: 2 }],
  ["postgres://weir@db/weir?connect_timeout=0", { connectSeconds: 0 }],
  [
    "postgres://weir@db/weir?keepalives=1&keepalives_idle=30&keepalives_interval=5&keepalives_count=3",
    { keepAliveSeconds: 30 },
  ],
  ["postgres://weir@db/weir?channel_binding=prefer", { hosts: ["db"] }],
  ["postgres://weir@db/weir?pgbouncer=true", { isPooled: true, prepare: false }],
  ["postgres://weir@db/weir?pgbouncer=false", { isPooled: false, prepare: true }],
  ["postgres://weir@db/weir?statement_cache_size=0", { prepare: false }],
  ["postgres://weir@db/weir?statement_cache_size=100", { prepare: true }],
  ["postgres://weir@db/weir?prepare=false", { prepare: false }],
  ["postgres://weir@db/weir?sslmode=disable", { ssl: false }],
  ["postgres://weir@db/weir?sslmode=allow", { ssl: "prefer" }],
  ["postgres://weir@db/weir?sslmode=prefer", { ssl: "prefer" }],
  ["postgres://weir@db/weir?sslmode=require", { ssl: { rejectUnauthorized: false, host: "db" } }],
  ["postgres://weir@db/weir?sslmode=no-verify", { ssl: { rejectUnauthorized: false, host: "db" } }],
  ["postgres://weir@db/weir?sslmode=verify-full", { ssl: { rejectUnauthorized: true, host: "db" } }],
  ["postgres://weir@db/weir?sslrootcert=system", { ssl: { rejectUnauthorized: true, host: "db" } }],
  ["postgres://weir@db/weir?ssl=true", { ssl: { rejectUnauthorized: false, host: "db" } }],
  ["postgres://weir@db/weir?sslaccept=strict", { ssl: { rejectUnauthorized: true, host: "db" } }],
  [
    "postgres://weir@db/weir?sslmode=require&sslaccept=accept_invalid_certs",
    { ssl: { rejectUnauthorized: false, host: "db" } },
  ],
  [
    `postgres://weir@db/weir?sslmode=verify-full&sslrootcert=${pem}`,
    { ssl: { rejectUnauthorized: true, host: "db", ca: readFileSync(pem) } },
  ],
  [
    `postgres://weir@db/weir?sslmode=require&sslcert=${pem}&sslkey=${pem}`,
    { ssl: { rejectUnauthorized: false, host: "db", cert: readFileSync(pem), key: readFileSync(pem) } },
  ],
  ["postgres://weir@db/weir?sslmode=require&sslnegotiation=direct", { sslNegotiation: "direct" }],
  [
    "postgres://weir@db/weir?sslmode=require&ssl_min_protocol_version=TLSv1.3",
    { ssl: { rejectUnauthorized: false, host: "db", minVersion: "TLSv1.3" } },
  ],
];

test.each(READ)("%s is read as it is meant", (form, expected) => {
  expect(readDatabaseAddress(form)).toMatchObject(expected);
});

test.each([
  [`postgres://weir@db/weir?sslmode=verify-ca&sslrootcert=${pem}`],
  [`postgres://weir@db/weir?sslmode=require&sslrootcert=${pem}`],
])("%s checks the chain, and not the name", (form) => {
  const { ssl } = readDatabaseAddress(form);
  expect(ssl).toMatchObject({
    rejectUnauthorized: true,
    ca: readFileSync(pem),
    checkServerIdentity: expect.any(Function),
  });
});

/** Each holds the secret HIDDEN, whole or in pieces. */
const REFUSED: [string, RegExp][] = [
  ["postgres://weir:HID#DEN@db/weir", /percent-encoded.*%23 for #/],
  ["postgres://weir:HID/DEN@db/weir", /percent-encoded.*%2F for \//],
  ["postgres://weir:HID?DEN@db/weir", /percent-encoded.*%3F for \?/],
  ["postgres://weir:HID@D/EN@db/weir", /percent-encoded.*%40 for @/],
  ["postgres://weir:HID%DEN@db/weir", /password.*%25 for %/],
  ["postgres://weir:HIDDEN%@db/weir", /password.*%25 for %/],
  ["postgres://weir:HIDDEN%FC@db/weir", /password.*UTF-8/],
  ["postgres://weir:5432/HIDDEN@db/weir", /percent-encoded/],
  ["postgres://weir:HIDDEN", /a port that is no number/],
  ["postgres://weir:HIDDEN@db:54321x/weir", /a port that is no number/],
  ["postgres://weir:HIDDEN@db:99999/weir", /a port that is no number/],
  ["postgres://weir:HIDDEN@::1:5432/weir", /IPv6 address in brackets/],
  ["postgres://weir:HIDDEN@db/weir/more", /second \//],
  ["postgres://weir:HIDDEN@db/weir#more", /percent-encoded/],
  ["postgres://weir:HIDDEN@a,b/weir?port=1,2,3", /2 hosts and 3 ports/],
  ["postgres://weir:HIDDEN@a/weir?host=/run/pg,b", /Unix socket beside other hosts/],
  ["postgres://weir:HIDDEN@d b/weir", /no name and no address/],
  ["postgres://weir:HIDDEN@db/weir?sslmode=requre", /sslmode.*disable, allow, prefer, require, verify-ca, verify-full/],
  ["postgres://weir:HIDDEN@db/weir?sslmode=", /sslmode.*disable, allow/],
  [
    "postgres://weir:HIDDEN@db/weir?sslrootcert=/none/ca.pem&sslmode=verify-full",
    /sslrootcert that cannot be read \(ENOENT\)/,
  ],
  [
    "postgres://weir:HIDDEN@db/weir?sslmode=require&sslcert=/none/c.pem&sslkey=/none/k.pem",
    /sslcert that cannot be read/,
  ],
  ["postgres://weir:HIDDEN@db/weir?sslcert=/none/c.pem", /sslcert.*without sslkey.*sslrootcert/],
  ["postgres://weir:HIDDEN@db/weir?sslkey=/none/c.pem", /sslkey without sslcert/],
  ["postgres://weir:HIDDEN@db/weir?sslmode=require&sslrootcert=system", /sslrootcert=system/],
  ["postgres://weir:HIDDEN@db/weir?sslidentity=/a.p12", /sslidentity.*PEM/],
  ["postgres://weir:HIDDEN@db/weir?channel_binding=require", /channel_binding=prefer/],
  ["postgres://weir:HIDDEN@db/weir?gssencmode=require", /gssencmode=disable/],
  ["postgres://weir:HIDDEN@db/weir?connection_limit=5", /connection_limit.*WEIR_GATEWAY_WORKERS/],
  ["postgres://weir:HIDDEN@db/weir?pool_timeout=5", /pool_timeout/],
  ["postgres://weir:HIDDEN@db/weir?statement_timeout=5", /statement_timeout.*Leave it out/],
  ["postgres://weir:HIDDEN@db/weir?target_session_attrs=leader", /target_session_attrs.*read-write/],
  ["postgres://weir:HIDDEN@db/weir?connect_timeout=ten", /connect_timeout.*whole number/],
  ["postgres://weir:HIDDEN@db/weir?prepare=perhaps", /prepare.*true or false/],
  ["postgres://weir:HIDDEN@db/weir?sslmod=require", /parameter sslmod,/],
  ["postgres://weir:HIDDEN@db/weir?service=main", /service/],
  ["postgres://weir:HIDDEN@db/weir?passfile=/x", /passfile.*PGPASSWORD/],
  ["postgres://weir:HIDDEN@db/weir\nPORT=1", /line end/],
  ["prisma+postgres://accelerate.example/?api_key=HIDDEN", /Prisma's own service/],
  ["psql 'postgresql://weir:HIDDEN@db/weir'", /command line/],
  ["Host=db;Username=weir;Password=HIDDEN", /\.NET/],
  ["mysql://weir:HIDDEN@db/weir", /must look like postgres:\/\//],
  ["weir:HIDDEN@db/weir", /must look like postgres:\/\//],
  ["host=db password=HID DEN", /KEYWORD=VALUE/],
];

test.each(REFUSED)("%j is refused by name, with what to write", (form, said) => {
  let text = "";
  try {
    readDatabaseAddress(form, "DATABASE_URL");
  } catch (error) {
    text = (error as Error).message;
  }
  expect(text).toMatch(/^DATABASE_URL /);
  expect(text).toMatch(said);
  expect(text).not.toMatch(/HID|DEN/);
});

test("the import reads addresses by the same reader, and names its own argument", async () => {
  await expect(openSource("postgres://weir:HID#DEN@db/weir")).rejects.toThrow(/^--from has a raw/);
  await expect(openSource("postgres://weir@db/weir?sslmode=x", "--database")).rejects.toThrow(
    /^--database cannot be used: sslmode must be one of/,
  );
});

test.each([
  [
    '"clickhouse://weir:pw@db:8123/logs"\n',
    { servers: ["http://db:8123"], username: "weir", password: "pw", database: "logs" },
  ],
  ["\uFEFFclickhouse://db", { servers: ["http://db:8123"] }],
  ["clickhouse://weir:a%23b%2F%40@[::1]:8123/logs", { servers: ["http://[::1]:8123"], password: "a#b/@" }],
])("the address of the log store may have the same wrapping: %j", (form, expected) => {
  expect(parseLogStoreUrl(form)).toMatchObject(expected);
});

test.each([
  "clickhouse://weir:HID#DEN@db/logs",
  "clickhouse://weir:HID/DEN@db/logs",
  "clickhouse://weir:HID?DEN@db/logs",
  "clickhouse://weir:HID@DEN@db/logs",
  "clickhouse://weir:HID%DEN@db/logs",
  "clickhouse://weir:HIDDEN/logs",
])("a raw sign in the password of the log store is refused without it: %s", (form) => {
  let text = "";
  try {
    parseLogStoreUrl(form);
  } catch (error) {
    text = (error as Error).message;
  }
  expect(text).toMatch(/%23|%25|must look like/);
  expect(text).not.toMatch(/HID|DEN/);
});

describe("on a real server", () => {
  let database: TestDatabase;
  const role = 'Jürgen "x" 100%#/?@:';
  const password = "pä #/?%@:+'\"\\ss";
  const name = `weir m\u00fcll #${process.pid}`;
  const quoted = (text: string): string => `"${text.replaceAll('"', '""')}"`;

  beforeAll(async () => {
    database = await createTestDatabase();
    await database.sql.unsafe(`create role ${quoted(role)} login password '${password.replaceAll("'", "''")}'`);
    await database.sql.unsafe(`create database ${quoted(name)} owner ${quoted(role)}`);
  });
  afterAll(async () => {
    await database.sql.unsafe(`drop database ${quoted(name)} with (force)`);
    await database.sql.unsafe(`drop role ${quoted(role)}`);
    await database.drop();
  });

  test("names with spaces, umlauts and signs, a schema, a role and a name in pg_stat_activity arrive as they are", async () => {
    const place = describePlace(readDatabaseAddress(database.url));
    const account = `${encodeURIComponent(role)}:${encodeURIComponent(password)}`;
    const query = "schema=My%20App&application_name=shop&connect_timeout=9&options=-c%20work_mem%3D5MB&prepare=false";
    const url = ` "postgresql+asyncpg://${account}@${place}/${encodeURIComponent(name)}?${query}"\n`;
    const sql = connect(url, { max: 1, onnotice: () => {}, connection: { application_name: "weir-test" } });
    try {
      const [row] = await sql`
        select current_user as role, current_database() as database, current_setting('search_path') as path,
          current_setting('work_mem') as memory, current_setting('application_name') as name`;
      expect(row).toEqual({ role, database: name, path: '"My App"', memory: "5MB", name: "weir-test shop" });
      const prepared = await sql`select count(*)::int as count from pg_prepared_statements`;
      expect(prepared[0]?.count).toBe(0);
    } finally {
      await sql.end({ timeout: 1 });
    }
  });
});
