import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Asked, Turn } from "@/lib/testing/strict-upstream";
import { createPlace, runApplication } from "./run-application";
import { setUpSystem } from "./system";

/** Reads a file and then writes another, as a model would. */
function answer({ tools, results, prompt }: Asked): Turn {
  if (!tools.some(({ name }) => name === "Write")) return { text: "Notes" };
  const [path = ""] = /\S*note\.txt/.exec(prompt) ?? [];
  if (results.length === 0) return { text: "I read it.", calls: [{ name: "Read", input: { file_path: path } }] };
  if (results.length === 1) {
    const content = `copied: ${/the weir is open/.exec(results[0] ?? "")?.[0]}`;
    return { calls: [{ name: "Write", input: { file_path: path.replace("note", "copy"), content } }] };
  }
  return { text: "The note is copied." };
}

describe.each([
  ["OpenAI's chat completions", "openai", "gpt-5.2"],
  ["Google's generateContent", "gemini", "gemini-3-pro-preview"],
] as const)("at an upstream that speaks %s", (_name, type, model) => {
  const system = setUpSystem({ type, models: [model], answer });

  test("Claude Code reads and writes files", async () => {
    const place = createPlace({ "work/note.txt": "the weir is open\n" });
    const note = join(place.work, "note.txt");
    const { user, token } = await system.relay.addCaller();
    const ended = await runApplication(place, {
      script: "@anthropic-ai/claude-code/cli-wrapper.cjs",
      args: ["-p", `Copy ${note} to copy.txt.`, "--allowedTools", "Read,Write", "--output-format", "text"],
      env: {
        ANTHROPIC_BASE_URL: system.relay.url,
        ANTHROPIC_API_KEY: token.key,
        ANTHROPIC_MODEL: model,
        ANTHROPIC_SMALL_FAST_MODEL: model,
        ANTHROPIC_DEFAULT_HAIKU_MODEL: model,
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
        DISABLE_AUTOUPDATER: "1",
        DISABLE_TELEMETRY: "1",
        DISABLE_ERROR_REPORTING: "1",
      },
    });
    expect(ended, system.explain(ended.errors)).toMatchObject({
      code: 0,
      output: expect.stringContaining("The note is copied."),
    });
    expect(readFileSync(join(place.work, "copy.txt"), "utf8")).toContain("copied: the weir is open");
    await system.expectCharged(user, model);
    expect(ended.outside).toEqual([]);
    place.remove();
  });
});
