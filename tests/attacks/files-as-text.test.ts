// Who: callers who send files of every kind in each format, to upstreams of which most take only PDF.
// What must hold: a text goes as text, a file without a name gets one, base64 alone is no address, and what nobody can read is refused
// in Weir's own words before an upstream is asked.
// https://developers.openai.com/api/docs/guides/file-inputs: chat takes only PDF, with its name; Responses most kinds.
// https://platform.claude.com/docs/en/build-with-claude/files: application/pdf in base64, text/plain as text (November 2026).
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { CHANNEL_TYPE } from "@/lib/provider-catalogue/channel-type-ids";
import { setUpRelay } from "../relay/harness";
import { askWith, type CallerId, type RawAsked, startRawUpstream } from "./raw-upstream";

const b64 = (text: string | Buffer): string => Buffer.from(text).toString("base64");
const PDF = b64("%PDF-1.4\n1 0 obj\n<<>>\nendobj\n%%EOF");
const DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document";
const XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const ZIP = b64(Buffer.from([0x50, 0x4b, 3, 4, 20, 0, 6, 0, 8, 0, 0, 0, 33, 0]));

type Given = { type: string; name?: string; data: string };
/** Texts, by what they say: each must reach the model as text. */
const texts: Record<string, Given> = {
  "plain text": { type: "text/plain", name: "notes.txt", data: b64("The weir is closed: größe 水") },
  CSV: { type: "text/csv", name: "levels.csv", data: b64("day,level\n1,The weir is closed") },
  JSON: { type: "application/json", name: "levels.json", data: b64('{"state":"The weir is closed"}') },
  Markdown: { type: "text/markdown", data: b64("# The weir is closed") },
  XML: { type: "application/xml", name: "levels.xml", data: b64("<a>The weir is closed</a>") },
  code: { type: "application/x-python", name: "gate.py", data: b64("print('The weir is closed')") },
  "a script of an unknown type": {
    type: "application/octet-stream",
    name: "gate.ts",
    data: b64("// The weir is closed"),
  },
  "UTF-16": { type: "text/plain", data: b64(Buffer.from("\ufeffThe weir is closed", "utf16le")) },
  "Windows' alphabet": {
    type: "text/csv",
    name: "a.csv",
    data: b64(Buffer.from("Gr\xf6\xdfe;The weir is closed", "latin1")),
  },
};
Object.assign(texts, {
  // What Windows and browsers call such files.
  "CSV that Windows takes for Excel's": {
    type: "application/vnd.ms-excel",
    name: "levels.csv",
    data: b64("day,level\n1,The weir is closed"),
  },
  "TypeScript that browsers take for a film": {
    type: "video/mp2t",
    name: "gate.ts",
    data: b64("export const state = 'The weir is closed';"),
  },
  YAML: { type: "text/yaml", name: "levels.yaml", data: b64("state: The weir is closed") },
  "a type with its alphabet": { type: "Text/CSV; charset=utf-8", name: "a.csv", data: b64("1,The weir is closed") },
});
const unreadable: Record<string, Given> = {
  docx: { type: DOCX, name: "report.docx", data: ZIP },
  xlsx: { type: XLSX, name: "table.xlsx", data: ZIP },
  "docx without a type": { type: "application/octet-stream", name: "report.docx", data: ZIP },
  zip: { type: "application/zip", name: "all.zip", data: ZIP },
  "docx that calls itself text": { type: "text/plain", name: "report.txt", data: ZIP },
};

/** How each caller sends a file. */
const asks: Record<CallerId, (model: string, file: Given) => [path: string, body: Record<string, unknown>]> = {
  "openai-chat": (model, { type, name, data }) => {
    const file = { ...(name ? { filename: name } : {}), file_data: `data:${type};base64,${data}` };
    return [
      "/v1/chat/completions",
      {
        model,
        messages: [
          {
            role: "user",
            content: [
              { type: "file", file },
              { type: "text", text: "?" },
            ],
          },
        ],
      },
    ];
  },
  "anthropic-messages": (model, { type, name, data }) => {
    const source = { type: "base64", media_type: type, data };
    const document = { type: "document", source, ...(name ? { title: name } : {}) };
    return [
      "/v1/messages",
      { model, max_tokens: 99, messages: [{ role: "user", content: [document, { type: "text", text: "?" }] }] },
    ];
  },
  "openai-responses": (model, { type, name, data }) => {
    const file = { type: "input_file", ...(name ? { filename: name } : {}), file_data: `data:${type};base64,${data}` };
    return ["/v1/responses", { model, input: [{ role: "user", content: [file, { type: "input_text", text: "?" }] }] }];
  },
  "gemini-generate-content": (model, { type, data }) => [
    `/v1beta/models/${model}:generateContent`,
    { contents: [{ role: "user", parts: [{ inlineData: { mimeType: type, data } }, { text: "?" }] }] },
  ],
};
const CALLERS = Object.keys(asks) as CallerId[];

/** What upstreams refuse, by their documentation; "" = nothing of it. */
const rules: Record<string, { type: number; setting?: string; fault: (text: string) => string }> = {
  chat: {
    type: CHANNEL_TYPE.openai,
    fault(text) {
      const files = [...text.matchAll(/"type":"file","file":(\{[^}]*\})/g)].map(([, file = "{}"]) => JSON.parse(file));
      const bad = files.find(
        ({ filename, file_data }) => !filename || !/^data:application\/pdf;base64,/.test(file_data),
      );
      return bad ? "file: only a PDF with a filename is accepted" : "";
    },
  },
  messages: {
    type: CHANNEL_TYPE.anthropic,
    fault(text) {
      const bad = /"type":"base64","media_type":"(?!application\/pdf|image\/)([^"]*)"/.exec(text);
      return bad ? `source.base64.media_type: ${bad[1]} is no application/pdf` : "";
    },
  },
  cohere: { type: CHANNEL_TYPE.cohere, fault: (text) => (/base64,|"document"/.test(text) ? "no files" : "") },
  ollama: { type: CHANNEL_TYPE.ollama, fault: (text) => (/base64,/.test(text) ? "no files" : "") },
  gemini: {
    type: CHANNEL_TYPE.gemini,
    fault: (text) => {
      const bad = /"mimeType":"(?!text\/|image\/|application\/pdf)([^"]*)"/.exec(text);
      return bad ? `Unsupported MIME type: ${bad[1]}` : "";
    },
  },
};
const nameOf = ({ path, body }: RawAsked): string =>
  String(body.model ?? /models\/(f-\w+)/.exec(path)?.[1]).replace("f-", "");

const relay = setUpRelay({
  prices: Object.keys(rules)
    .map((name) => `f-${name}`)
    .join(","),
});
let upstream: Awaited<ReturnType<typeof startRawUpstream>>;
const answers: Record<string, object> = {
  chat: { id: "c", choices: [{ index: 0, message: { role: "assistant", content: "yes" }, finish_reason: "stop" }] },
  messages: {
    id: "m",
    type: "message",
    role: "assistant",
    content: [{ type: "text", text: "yes" }],
    stop_reason: "end_turn",
  },
  cohere: {
    id: "c",
    message: { role: "assistant", content: [{ type: "text", text: "yes" }] },
    finish_reason: "COMPLETE",
  },
  ollama: { model: "m", message: { role: "assistant", content: "yes" }, done: true, done_reason: "stop" },
  gemini: { candidates: [{ content: { role: "model", parts: [{ text: "yes" }] }, finishReason: "STOP", index: 0 }] },
};

beforeAll(async () => {
  upstream = await startRawUpstream();
  upstream.answer((asked) => {
    const name = nameOf(asked);
    const fault = rules[name]?.fault(asked.text) ?? "no such model";
    if (fault !== "")
      return { status: 400, body: JSON.stringify({ error: { message: fault, type: "invalid_request_error" } }) };
    return { body: JSON.stringify(answers[name]) };
  });
  for (const [name, { type }] of Object.entries(rules)) {
    await relay.addChannel({ baseUrl: upstream.url, models: `f-${name}`, type });
  }
  await relay.inForce();
});
afterAll(() => upstream.close());

async function send(caller: CallerId, upstreamName: string, file: Given) {
  const { token } = await relay.addCaller({ balance: 1_000_000_000 });
  upstream.seen.length = 0;
  const [path, body] = asks[caller](`f-${upstreamName}`, file);
  return askWith({ url: relay.url, key: token.key }, path, body);
}

describe.each(Object.keys(rules))("an upstream of the kind %s", (name) => {
  test.each(CALLERS)("gets the texts of %s as text", async (caller) => {
    for (const [what, file] of Object.entries(texts)) {
      const { status, text } = await send(caller, name, file);
      expect([what, status, status === 200 ? "" : text]).toEqual([what, 200, ""]);
      const sent = upstream.seen[0]?.text ?? "";
      // Google takes kinds of text in base64.
      const isNative = name === "gemini" && sent.includes('"mimeType":"text/');
      expect([what, isNative || sent.includes("The weir is closed")]).toEqual([what, true]);
    }
  });

  test.each(CALLERS)("is not asked to read what it cannot, and %s is told so", async (caller) => {
    for (const [what, file] of Object.entries(unreadable)) {
      const { status, text } = await send(caller, name, file);
      expect([what, status, upstream.seen.length]).toEqual([what, 400, 0]);
      expect(text).toMatch(/cannot be read|PDF/);
    }
  });
});

test.each(CALLERS)("a PDF of %s goes as it is, with a name where there was none", async (caller) => {
  for (const name of ["chat", "messages", "gemini"]) {
    const { status, text } = await send(caller, name, { type: "application/pdf", data: PDF });
    expect([name, status, status === 200 ? "" : text]).toEqual([name, 200, ""]);
    expect(upstream.seen[0]?.text).toContain(PDF);
  }
});

test.each(CALLERS)("a picture that %s sends as a file goes as a picture", async (caller) => {
  const png = b64(Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 13]));
  for (const [name, mark] of Object.entries({
    chat: '"image_url"',
    messages: '"type":"image"',
    gemini: '"image/png"',
  })) {
    for (const type of ["image/png", "application/octet-stream"]) {
      const { status, text } = await send(caller, name, { type, name: "weir.png", data: png });
      expect([name, status, status === 200 ? "" : text]).toEqual([name, 200, ""]);
      expect([name, type, upstream.seen[0]?.text.includes(mark)]).toEqual([name, type, true]);
      expect(upstream.seen[0]?.text).toContain(png);
    }
  }
});

test("base64 alone is a file, and no address", async () => {
  const { token } = await relay.addCaller({ balance: 1_000_000_000 });
  for (const name of ["chat", "messages", "gemini"]) {
    upstream.seen.length = 0;
    const content = [{ type: "file", file: { filename: "a.pdf", file_data: PDF } }];
    const chat = await askWith({ url: relay.url, key: token.key }, "/v1/chat/completions", {
      model: `f-${name}`,
      messages: [{ role: "user", content }],
    });
    expect([name, chat.status]).toEqual([name, 200]);
    expect(upstream.seen[0]?.text).toContain(PDF);
    upstream.seen.length = 0;
    const input = [
      { role: "user", content: [{ type: "input_file", filename: "a.csv", file_data: b64("The weir is closed") }] },
    ];
    const responses = await askWith({ url: relay.url, key: token.key }, "/v1/responses", { model: `f-${name}`, input });
    expect([name, responses.status]).toEqual([name, 200]);
  }
});

test.each(["chat", "messages", "cohere", "ollama", "gemini"])(
  "a document of Anthropic's that is text already stays one at %s",
  async (name) => {
    const { token } = await relay.addCaller({ balance: 1_000_000_000 });
    upstream.seen.length = 0;
    const source = { type: "text", media_type: "text/plain", data: "The weir is closed" };
    const messages = [
      {
        role: "user",
        content: [
          { type: "document", source, title: "n" },
          { type: "text", text: "?" },
        ],
      },
    ];
    const body = { model: `f-${name}`, max_tokens: 9, messages };
    expect((await askWith({ url: relay.url, key: token.key }, "/v1/messages", body)).status).toBe(200);
    expect(upstream.seen[0]?.text).toContain("The weir is closed");
  },
);
