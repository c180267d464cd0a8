import { createHash, randomBytes } from "node:crypto";
import { mkdtemp, readdir, rm, utimes, writeFile } from "node:fs/promises";
import { request as ask, createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createBodyBudget } from "../../base/body-budget";
import { RelayError } from "../../base/relay-error";
import { defaultDialect } from "../../wire/dialects";
import { createBodyDeadline } from "../bodies/body-deadline";
import { Exchange } from "../exchange";
import { readForm } from "./read-form";
import { createSpool } from "./spool";
import { writeForm } from "./write-form";

const BYTES_MAX = 8 * 1_048_576;
const budget = createBodyBudget(BYTES_MAX);
const deadline = createBodyDeadline({ graceMs: 300, bytesPerSecond: 1_000_000, wholeMs: 2_000 });

let folder = "";
let url = "";
/** What became of the last request whose caller got no answer. */
let lastError: unknown = null;

/** Reads a form, writes it anew twice, and tells what both say. */
const server = createServer(async (request, response) => {
  const exchange = new Exchange(request, response, "127.0.0.1", defaultDialect.client);
  const share = budget.open(1);
  try {
    const onModel = (model: string): void => {
      if (model === "unknown") throw new RelayError("no_available_channel", "no such model");
    };
    const settings = { bytesMax: BYTES_MAX, deadline, share, spool: createSpool(folder), onModel };
    const form = await readForm(exchange, settings);
    const { body } = writeForm(form);
    const sums: string[] = [];
    for (let round = 0; round < 2; round += 1) {
      let bytes = 0;
      for await (const part of body.open()) bytes += (part as Buffer).length;
      sums.push(`${bytes === body.length}`);
    }
    const files = await Promise.all(
      form.files().map(async ({ name, fileName, type, file }) => {
        const hash = createHash("sha256");
        for await (const part of file.open()) hash.update(part as Buffer);
        return { name, fileName, type, bytes: file.length, sha: hash.digest("hex") };
      }),
    );
    const texts = form.entries.flatMap((entry) => ("text" in entry ? [[entry.name, entry.text]] : []));
    exchange.sendJson(200, Buffer.from(JSON.stringify({ texts, files, sums, onDisk: await readdir(folder) })));
  } catch (error) {
    lastError = error;
    if (error instanceof RelayError) exchange.refuse(error);
  } finally {
    share.release();
  }
});

beforeAll(async () => {
  folder = join(await mkdtemp(join(tmpdir(), "weir-forms-")), "uploads");
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", () => done()));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await rm(folder, { recursive: true });
});

type Told = {
  texts: [string, string][];
  files: { name: string; fileName: string; type: string; bytes: number; sha: string }[];
  sums: string[];
  onDisk: string[];
};

async function post(form: FormData): Promise<{ status: number; json: Told & { error?: { message: string } } }> {
  const response = await fetch(url, { method: "POST", body: form });
  return { status: response.status, json: (await response.json()) as Told };
}

async function postRaw(body: string | Buffer, headers: Record<string, string> = {}): Promise<number> {
  const sent = { "content-type": "multipart/form-data; boundary=b", ...headers };
  const response = await fetch(url, { method: "POST", headers: sent, body: new Uint8Array(Buffer.from(body)) });
  await response.text();
  return response.status;
}

const part = (name: string, text: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"\r\n\r\n${text}\r\n`;

const file = (name: string): string =>
  `--b\r\ncontent-disposition: form-data; name="${name}"; filename="a"\r\n\r\nx\r\n`;

describe("a multipart body", () => {
  test("keeps its fields and files, also a file of megabytes with the model behind it", async () => {
    const large = randomBytes(3 * 1_048_576);
    const small = Buffer.from("small");
    const form = new FormData();
    form.append("file", new Blob([large], { type: "audio/wav" }), 'a "b"\n.wav');
    form.append("image[]", new Blob([small], { type: "image/png" }), "1.png");
    form.append("image[]", new Blob([]), "2.png");
    form.append("model", "whisper-1");
    form.append("prompt", "Grüße 你好");
    const { status, json } = await post(form);
    expect(status).toBe(200);
    expect(json.texts).toEqual([
      ["model", "whisper-1"],
      ["prompt", "Grüße 你好"],
    ]);
    expect(json.files.map(({ name, bytes, type }) => [name, bytes, type])).toEqual([
      ["file", large.length, "audio/wav"],
      ["image[]", 5, "image/png"],
      ["image[]", 0, "application/octet-stream"],
    ]);
    expect(json.files[0]?.sha).toBe(createHash("sha256").update(large).digest("hex"));
    // It can be sent any number of times, and leaves no name on the disk while it is there.
    expect(json).toMatchObject({ sums: ["true", "true"], onDisk: [] });
  });

  test.each([
    [["image"], ["image"]],
    [["image[]"], ["image[]"]],
    [["image[0]"], ["image"]],
    [["images"], ["image"]],
    [
      ["image", "image", "image"],
      ["image[]", "image[]", "image[]"],
    ],
    [
      ["image[0]", "image[1]", "mask"],
      ["image[]", "image[]", "mask"],
    ],
    [
      ["image", "image[]"],
      ["image[]", "image[]"],
    ],
    [
      ["images[]", "images[]"],
      ["image[]", "image[]"],
    ],
  ])("with pictures named %j has them as %j, in their order", async (names, expected) => {
    const form = new FormData();
    for (const [at, name] of names.entries()) form.append(name, new Blob([Buffer.alloc(at + 1)]), `${at}.png`);
    form.append("model", "gpt-image-1");
    const { status, json } = await post(form);
    expect(status).toBe(200);
    expect(json.files.map(({ name, bytes }) => [name, bytes])).toEqual(expected.map((name, at) => [name, at + 1]));
  });

  test("what a process that died has left is removed at the next start, and nothing else", async () => {
    const left = join(folder, "7f9c24e8-3b12-4fef-91e0-11ba5f1b7e2a.part");
    await writeFile(left, "left");
    await writeFile(join(folder, "other.txt"), "mine");
    await utimes(left, 1, 1);
    const form = new FormData();
    form.append("file", new Blob([Buffer.alloc(300_000)]), "a");
    expect((await post(form)).json.onDisk).toEqual(["other.txt"]);
    await rm(join(folder, "other.txt"));
  });

  test.each([
    ["has no end", part("model", "m")],
    ["has no part at all", "--b"],
    ["is no form", "hello"],
    ["has a field twice", `${part("model", "a")}${part("model", "b")}--b--\r\n`],
    ["has a field and a list of the same name", `${part("model", "a")}${part("model[]", "b")}--b--\r\n`],
    ["has a picture and a text of the same name", `${file("image")}${part("image", "b")}--b--\r\n`],
    ["has a numbered picture and a text of its name", `${file("image[0]")}${part("image", "b")}--b--\r\n`],
    ["has a text, and pictures in a list of its name", `${part("image", "b")}${file("image[]")}--b--\r\n`],
    ["has a text and pictures, both numbered", `${part("image[0]", "b")}${file("image[1]")}--b--\r\n`],
    ["has pictures, and a text in their list", `${file("images")}${part("image[]", "b")}--b--\r\n`],
    ["has pictures, and one in other letters", `${file("image[0]")}${file("Image")}--b--\r\n`],
    ["has a picture in other letters, and others", `${file("Image")}${file("image[0]")}--b--\r\n`],
    ["has a mask twice", `${file("mask")}${file("mask")}--b--\r\n`],
    ["has a sound twice", `${file("file")}${file("file")}--b--\r\n`],
    ["has a field without a name", `--b\r\ncontent-disposition: form-data\r\n\r\nx\r\n${part("model", "m")}--b--\r\n`],
    ["has a field too long", `${part("prompt", "x".repeat(300_000))}--b--\r\n`],
    ["has too many fields", `${Array.from({ length: 80 }, (_, at) => part(`f${at}`, "x")).join("")}--b--\r\n`],
    ["breaks off in a file", `--b\r\ncontent-disposition: form-data; name="file"; filename="a"\r\n\r\nabc`],
  ])("that %s is refused with 400", async (_, body) => {
    expect(await postRaw(body)).toBe(400);
  });

  test("without a boundary, compressed, too large or for an unknown model is refused", async () => {
    const good = `${part("model", "m")}--b--\r\n`;
    expect(await postRaw(good, { "content-type": "multipart/form-data" })).toBe(400);
    expect(await postRaw(good, { "content-encoding": "gzip" })).toBe(415);
    const form = new FormData();
    form.append("file", new Blob([Buffer.alloc(BYTES_MAX + 1)]), "a");
    expect((await post(form)).status).toBe(413);
    expect(await postRaw(`${part("model", "unknown")}--b--\r\n`)).toBe(503);
    expect(await postRaw(good)).toBe(200);
  });

  test("that stops arriving is refused with 408", async () => {
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": "100000" };
      const sending = ask(url, { method: "POST", headers }, (response) => resolve(response.statusCode));
      sending.on("error", reject);
      sending.write(part("model", "m"));
    });
    expect(status).toBe(408);
  });

  test("of a caller who leaves is let go", async () => {
    lastError = null;
    const headers = { "content-type": "multipart/form-data; boundary=b", "content-length": "100000" };
    const sending = ask(url, { method: "POST", headers });
    sending.on("error", () => {});
    sending.write(part("model", "m"), () => sending.destroy());
    await expect.poll(() => (lastError as Error | null)?.constructor.name).toBe("ClientDisconnected");
  });

  test("takes from the caller's budget, and gives all of it back", async () => {
    const shares = Array.from({ length: 4 }, () => budget.open(1));
    for (const share of shares) share.addStored(BYTES_MAX * 4);
    const form = new FormData();
    form.append("file", new Blob([Buffer.alloc(300_000)]), "a");
    expect((await post(form)).status).toBe(429);
    for (const share of shares) share.release();
    for (let times = 0; times < 20; times += 1) expect((await post(form)).status).toBe(200);
  });
});
