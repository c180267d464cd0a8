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
