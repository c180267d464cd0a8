// Forms of DATABASE_URL against a PostgreSQL that has TLS, IPv6, a Unix socket and names with spaces and umlauts.

import { spawnSync } from "node:child_process";
import { chownSync, mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { connect } from "@/db/connect";
import { assertDatabaseAnswers } from "@/server/database-answers";
import { processOwner } from "@/server/postgres-binaries";
import { type OwnPostgres, startOwnPostgres } from "./own-postgres";

const folder = mkdtempSync(join(tmpdir(), "weir-forms-"));
const file = (name: string): string => join(folder, name);
let server: OwnPostgres;
let port = "";

beforeAll(async () => {
  spawnSync("chmod", ["0755", folder]);
  certificates();
  const sockets = file("sockets");
  mkdirSync(sockets, { mode: 0o777 });
  const owner = processOwner();
  if (owner) for (const path of [sockets, file("server.key")]) chownSync(path, owner.uid, owner.gid);
  const tls = [
    "ssl=on",
    `ssl_cert_file=${file("server.crt")}`,
    `ssl_key_file=${file("server.key")}`,
    `ssl_ca_file=${file("ca.crt")}`,
  ];
  const settings = ["-h", "127.0.0.1,::1", "-k", sockets, ...tls.flatMap((setting) => ["-c", setting])];
  server = await startOwnPostgres(file("postgres"), settings);
  port = new URL(server.url).port;
  const sql = connect(server.url, { max: 1, onnotice: () => {} });
  await sql.unsafe(`create role "Jürgen M" login password 'pä #/?%@'`);
  await sql.unsafe(`create database "Müll 1" owner "Jürgen M"`);
  await sql.end();
});
afterAll(() => server?.stop());

/** A CA, a certificate of the server for `localhost`, and one of a client. */
function certificates(): void {
  const openssl = (...args: string[]): void => {
    const { status, stderr } = spawnSync("openssl", args, { encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  const make = (name: string, subject: string): void =>
    openssl(
      "req",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-keyout",
      file(`${name}.key`),
      "-out",
      file(`${name}.csr`),
      "-subj",
      subject,
    );
  for (const ca of ["ca", "other"])
    openssl(
      "req",
      "-x509",
      "-newkey",
      "rsa:2048",
      "-nodes",
      "-days",
      "2",
      "-keyout",
      file(`${ca}.key`),
      "-out",
      file(`${ca}.crt`),
      "-subj",
      `/CN=${ca}`,
    );
  writeFileSync(file("names"), "subjectAltName=DNS:localhost\n");
  for (const [name, subject] of [
    ["server", "/CN=localhost"],
    ["client", "/CN=weir"],
  ] as const) {
    make(name, subject);
    openssl(
      "x509",
      "-req",
      "-days",
      "2",
      "-in",
      file(`${name}.csr`),
      "-CA",
      file("ca.crt"),
      "-CAkey",
      file("ca.key"),
      "-CAcreateserial",
      "-out",
      file(`${name}.crt`),
      "-extfile",
      file("names"),
    );
  }
  spawnSync("chmod", ["0600", file("server.key"), file("client.key")]);
}

/** Whether the session has TLS, by how the address is written. PORT and FOLDER are put in. */
const FORMS: [string, boolean][] = [
  ["postgres://weir@localhost:PORT/postgres", false],
  ["postgres://weir@[::1]:PORT/postgres", false],
  ["postgres://weir@127.0.0.1:1,127.0.0.1:PORT/postgres", false],
  ["postgres://weir@127.0.0.1:PORT,[::1]:PORT/postgres?target_session_attrs=primary", false],
  ["postgres:///postgres?host=FOLDER/sockets&port=PORT&user=weir", false],
  ["postgres://weir@%2F_FOLDER%2Fsockets:PORT/postgres?sslmode=require", false],
  ["host=FOLDER/sockets port=PORT user=weir dbname=postgres", false],
  ["host=localhost port=PORT user=weir dbname=postgres sslmode=require", true],
  ["postgresql+asyncpg://weir@localhost:PORT/postgres?ssl=require", true],
  ["jdbc:postgresql://localhost:PORT/postgres?user=weir&ssl=true", true],
  ["postgres://J%C3%BCrgen%20M:p%C3%A4%20%23%2F%3F%25%40@localhost:PORT/M%C3%BCll%201?sslmode=prefer", true],
  ["postgres://weir@localhost:PORT/postgres?sslmode=disable", false],
  ["postgres://weir@localhost:PORT/postgres?sslmode=prefer", true],
  ["postgres://weir@127.0.0.1:PORT/postgres?sslmode=require&channel_binding=prefer", true],
  ["postgres://weir@127.0.0.1:PORT/postgres?sslmode=verify-ca&sslrootcert=FOLDER/ca.crt", true],
  ["postgres://weir@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/ca.crt", true],
  ["postgres://weir@localhost:PORT/postgres?hostaddr=127.0.0.1&sslmode=verify-full&sslrootcert=FOLDER/ca.crt", true],
  ["postgres://weir@localhost:PORT/postgres?sslmode=require&sslcert=FOLDER/client.crt&sslkey=FOLDER/client.key", true],
  ["postgres://weir@localhost:PORT/postgres?sslmode=require&ssl_min_protocol_version=TLSv1.3", true],
];

const filled = (form: string): string =>
  form.replaceAll("_FOLDER", encodeURIComponent(folder).slice(3)).replaceAll("FOLDER", folder).replaceAll("PORT", port);

test.each(FORMS)("%s leads to the server, with TLS %s", async (form, hasTls) => {
  await assertDatabaseAnswers(filled(form));
  const sql = connect(filled(form), { max: 1, onnotice: () => {}, connection: { application_name: "weir-test" } });
  try {
    const [row] = await sql`select ssl from pg_stat_ssl where pid = pg_backend_pid()`;
    expect(row?.ssl).toBe(hasTls);
  } finally {
    await sql.end({ timeout: 1 });
  }
});

test.each([
  ["postgres://weir@localhost:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/other.crt", /certificate/],
  ["postgres://weir@127.0.0.1:PORT/postgres?sslmode=verify-full&sslrootcert=FOLDER/ca.crt", /127\.0\.0\.1|altname/i],
  ["postgres://weir@localhost:PORT/postgres?sslmode=verify-full", /certificate/],
])("%s is refused, because the server does not prove who it is", async (form, said) => {
  await expect(assertDatabaseAnswers(filled(form))).rejects.toThrow(said);
});
