// An upstream whose certificate cannot be trusted: why stands in the log of the attempt, in the result of a channel's test, in the list of
// a test of all channels, and in the error of whatever else Weir asks, in both languages. The caller is told none of it.

import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server } from "node:http";
import { createServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import tls from "node:tls";
import { NextIntlClientProvider } from "next-intl";
import { createElement, type ReactElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { TestResult } from "@/components/channel/test-result";
import { Results } from "@/components/channel/test-run-dialog";
import { runChannelTest, startChannelTestRun } from "@/lib/channel/test-commands";
import { readTestProgress } from "@/lib/channel/test-progress";
import { toWireProgress } from "@/lib/channel/wire";
import type { ServiceContext } from "@/lib/context";
import { egressFetch } from "@/lib/egress";
import { parseAllowedRanges } from "@/lib/egress/address";
import en from "@/messages/en.json";
import zh from "@/messages/zh.json";
import { chatBody, setUpRelay, until } from "../relay/harness";

const relay = setUpRelay({ prices: "fake-gpt", options: { RetryTimes: "0" } });
const folder = mkdtempSync(join(tmpdir(), "weir-certificates-"));
const servers: Record<string, { server: Server; port: number }> = {};
const createSecureContext = tls.createSecureContext;
let ctx: ServiceContext;

/** The reason that each server's certificate is refused for. */
const REASONS = ["selfSigned", "unknownAuthority", "expired", "notYetValid", "wrongHost", "protocol"] as const;

beforeAll(async () => {
  makeCertificates();
  for (const name of [...REASONS, "trusted"]) {
    const secured = name === "protocol" ? createHttpServer() : createServer(pairOf(name));
    secured.on("request", (request, response) => {
      request.resume();
      const choices = [{ index: 0, message: { role: "assistant", content: "hi" }, finish_reason: "stop" }];
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ id: "c", object: "chat.completion", model: "fake-gpt", choices }));
    });
    await new Promise<void>((done) => secured.listen(0, "127.0.0.1", done));
    servers[name] = { server: secured, port: (secured.address() as AddressInfo).port };
  }
  // What NODE_EXTRA_CA_CERTS does for a process that starts with it.
  const authority = readFileSync(join(folder, "ca.crt"));
  tls.createSecureContext = (options) => {
    const context = createSecureContext(options);
    context.context.addCACert(authority);
    return context;
  };
  await relay.addUser({ role: 100, username: "root" });
  const { db, sql } = relay.database;
  ctx = { db, sql, actor: { type: "job", name: "test" }, clientIp: "192.0.2.1" };
});
afterAll(() => {
  tls.createSecureContext = createSecureContext;
  for (const { server } of Object.values(servers)) {
    server.closeAllConnections();
    server.close();
  }
  rmSync(folder, { recursive: true, force: true });
});

const portOf = (name: string): number => servers[name]?.port ?? 0;
const originOf = (name: string): string => `https://127.0.0.1:${portOf(name)}`;

function pairOf(name: string): { cert: Buffer; key: Buffer } {
  return { cert: readFileSync(join(folder, `${name}.crt`)), key: readFileSync(join(folder, "any.key")) };
}

/** A trusted authority, one that nobody knows, and a certificate of each kind. All have the same key, to be quick. */
function makeCertificates(): void {
  const openssl = (text: string): void => {
    const { status, stderr } = spawnSync("openssl", text.split(" "), { cwd: folder, encoding: "utf8" });
    if (status !== 0) throw new Error(stderr);
  };
  const own = "req -x509 -key any.key -days 3650 -sha256";
  openssl("ecparam -name prime256v1 -genkey -noout -out any.key");
  openssl(`${own} -subj /CN=known -out ca.crt`);
  openssl(`${own} -subj /CN=nobody -out nobody.crt`);
  openssl(`${own} -subj /CN=alone -addext subjectAltName=IP:127.0.0.1 -out selfSigned.crt`);
  openssl("req -new -key any.key -subj /CN=weir -out any.csr");
  writeFileSync(join(folder, "own"), "subjectAltName=IP:127.0.0.1,DNS:upstream.test\n");
  writeFileSync(join(folder, "other"), "subjectAltName=DNS:other.example\n");
  writeFileSync(
    join(folder, "conf"),
    "[ca]\ndefault_ca=d\n[d]\ndatabase=index\nserial=serial\nnew_certs_dir=.\ndefault_md=sha256\npolicy=p\nunique_subject=no\n[p]\ncommonName=supplied\n",
  );
  writeFileSync(join(folder, "index"), "");
  writeFileSync(join(folder, "serial"), "01\n");
  const sign = (name: string, authority: string, names: string, from: string, to: string): void =>
    openssl(
      `ca -batch -notext -config conf -cert ${authority}.crt -keyfile any.key -in any.csr -extfile ${names} -startdate ${from}0101000000Z -enddate ${to}0101000000Z -out ${name}.crt`,
    );
  sign("trusted", "ca", "own", "2020", "2199");
  sign("unknownAuthority", "nobody", "own", "2020", "2199");
  sign("expired", "ca", "own", "2020", "2021");
  sign("notYetValid", "ca", "own", "2198", "2199");
  sign("wrongHost", "ca", "other", "2020", "2199");
}

const LANGUAGES = { en, zh };

function shown(locale: keyof typeof LANGUAGES, element: ReactElement): string {
  const messages = LANGUAGES[locale] as never;
  // biome-ignore lint/correctness/noChildrenProp: its type wants it among the properties
  const provider = createElement(NextIntlClientProvider, { locale, messages, timeZone: "UTC", children: element });
  return renderToStaticMarkup(provider);
}

test("a certificate of a known authority is trusted, by name and by address", async () => {
  const id = await relay.addChannel({ models: "fake-gpt", baseUrl: originOf("trusted") });
  expect(await runChannelTest(ctx, id)).toMatchObject({ success: true, status: 200 });
  const { status } = await egressFetch(`https://upstream.test:${portOf("trusted")}/`, {
    trust: "operator",
    resolve: async () => ["127.0.0.1"],
  });
  expect(status).toBe(200);
});

describe.each(REASONS)("%s", (reason) => {
  test("stands in the result of a channel's test and in the list of all, in both languages", async () => {
    const { sql } = relay.database;
    await sql`delete from channels`;
    const id = await relay.addChannel({ models: "fake-gpt", baseUrl: originOf(reason) });
    const result = await runChannelTest(ctx, id);
    expect(result).toMatchObject({ success: false, tls: reason });
    expect(result.message).toMatch(/^the upstream could not be reached \([A-Z_0-9]+\): (its|the authority|it) /);
    await (await startChannelTestRun(ctx)).finished;
    const progress = toWireProgress(readTestProgress(ctx));
    expect(progress?.results).toMatchObject([{ id, success: false, tls: reason }]);
    const texts = (["en", "zh"] as const).map((locale) => {
      const text = LANGUAGES[locale].channelEditor.whyTls[reason];
      expect(shown(locale, createElement(Results, { progress } as never))).toContain(text);
      expect(shown(locale, createElement(TestResult, { model: "fake-gpt", result }))).toContain(text);
      return text;
    });
    expect(new Set(texts).size).toBe(2);
  });

  test("stands in the log of the attempt, and the caller is not told", async () => {
    const { sql } = relay.database;
    await sql`delete from channels`;
    await relay.addChannel({ models: "fake-gpt", baseUrl: originOf(reason) });
    await relay.inForce();
    const { user, token } = await relay.addCaller();
    const answer = await relay.post(token.key, chatBody("fake-gpt"));
    expect(answer.status).toBeGreaterThanOrEqual(500);
    expect(answer.text).not.toMatch(/certificate|TLS|NODE_EXTRA/i);
    await until(async () => (await relay.logsOf(user)).length > 0);
    const [row] = await relay.logsOf(user);
    const { attempts = [] } = (row?.other.admin_info ?? {}) as { attempts?: { cause: string; message: string }[] };
    expect(attempts).toMatchObject([{ cause: "tls", message: expect.stringMatching(/: (its|the authority|it) /) }]);
  });

  test("is the reason of what else Weir asks for", async () => {
    await expect(egressFetch(`${originOf(reason)}/`, { trust: "operator" })).rejects.toMatchObject({
      messageKey: "egressTls",
      params: { host: `127.0.0.1:${portOf(reason)}`, reason },
    });
  });
});

test("through a proxy the certificate is that of the name, though the proxy gets the address that was judged", async () => {
  const seen: string[] = [];
  const proxy = createHttpServer();
  proxy.on("connect", (request, socket: Socket) => {
    const [, port] = (request.url ?? "").split(":");
    seen.push(request.url ?? "");
    const there = connect(Number(port), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n");
      there.pipe(socket).pipe(there);
    });
    for (const one of [there, socket]) one.on("error", () => {});
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  vi.stubEnv("HTTPS_PROXY", `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`);
  try {
    const settings = { resolve: async () => ["10.9.9.9"], allowed: parseAllowedRanges("10.9.9.9") };
    const ask = (name: string) => egressFetch(`https://${name}:${portOf("trusted")}/`, settings);
    expect(await ask("upstream.test")).toMatchObject({ status: 200 });
    await expect(ask("elsewhere.test")).rejects.toMatchObject({ params: { reason: "wrongHost" } });
    expect(seen).toEqual(Array(2).fill(`10.9.9.9:${portOf("trusted")}`));
  } finally {
    vi.unstubAllEnvs();
    proxy.closeAllConnections();
    proxy.close();
  }
});
