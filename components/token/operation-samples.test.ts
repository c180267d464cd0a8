import { expect, test } from "vitest";
import { OPERATIONS } from "@/lib/operations";
import { operationSnippets } from "./operation-samples";

const source = { serverAddress: "https://weir.example", key: "sk-abc", model: `o'"x` };

test("every operation but conversations has samples in each language, with the site's address and the key", () => {
  for (const operation of OPERATIONS.filter((each) => each !== "chat")) {
    const snippets = operationSnippets(operation, source);
    const ids = operation === "realtime" ? ["python", "javascript"] : ["curl", "python", "javascript"];
    expect(snippets.map(({ id }) => id)).toEqual(ids);
    for (const { text } of snippets) {
      expect(text).toContain("://weir.example/");
      expect(text).toContain("sk-abc");
    }
  }
});

test("a model name with quotes stays one word of the shell and one text of a program", () => {
  const [curl, python, javascript] = operationSnippets("embeddings", source);
  expect(curl?.text).toContain(`"model":"o'\\''\\"x"`);
  expect(python?.text).toContain(`"model":"o'\\"x"`);
  expect(javascript?.text).toContain(`"model":"o'\\"x"`);
});
