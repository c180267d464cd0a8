import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { snippetsOf } from "./snippets";

const source = { serverAddress: "https://weir.example", key: "sk-abc", model: "gpt-4o" };

test("every snippet carries the site's address and the key", () => {
  const snippets = snippetsOf(source);
  expect(snippets.map(({ id }) => id).slice(0, 3)).toEqual(["curl", "python", "typescript"]);
  for (const { text } of snippets) {
    expect(text).toContain("https://weir.example");
    expect(text).toContain("sk-abc");
  }
});

test("a model name with quotes stays one word of the shell and one text of a program", () => {
  const [curl, python] = snippetsOf({ ...source, model: `o'"x` });
  expect(curl?.text).toContain(`"model":"o'\\''\\"x"`);
  expect(python?.text).toContain(`model="o'\\"x"`);
});

const LANGUAGES = new Set(["curl", "python", "typescript"]);
const clients = snippetsOf(source).filter(({ id }) => !LANGUAGES.has(id));
/** Variables and fields: what a client reads its address, key and model from. */
const NAMES = /\b([A-Z]+(?:_[A-Z]+)+|base_url|env_key|wire_api|baseURL|apiKey|small_model|model_provider)\b/g;

test.each(clients.filter(({ id }) => id !== "lobechat"))(
  "the settings for $label are those of its page in docs/clients",
  ({ id, text }) => {
    const page = readFileSync(new URL(`../../docs/clients/${id}.md`, import.meta.url), "utf8");
    const names = text.match(NAMES) ?? [];
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
    if (id !== "cherry-studio") expect(names.length).toBeGreaterThan(1);
    // The same addresses have a version in both.
    expect(page.includes(", with `/v1`")).toBe(text.includes("/v1"));
  },
);
