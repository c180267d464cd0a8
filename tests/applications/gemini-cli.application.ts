import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Asked, Turn } from "@/lib/testing/strict-upstream";
import { createPlace, runApplication } from "./run-application";
import { setUpSystem } from "./system";

/** Reads a file and then writes another, as a model would. */
function answer({ tools, results }: Asked): Turn {
  if (!tools.some(({ name }) => name === "write_file")) return { text: "{}" };
  if (results.length === 0)
    return { text: "I read it.", calls: [{ name: "read_file", input: { file_path: "note.txt" } }] };
  if (results.length === 1) {
    const content = `copied: ${/the weir is open/.exec(results[0] ?? "")?.[0]}`;
    return { calls: [{ name: "write_file", input: { file_path: "copy.txt", content } }] };
  }
  return { text: "The note is copied." };
}

const settings = {
  security: { auth: { selectedType: "gemini-api-key" } },
  privacy: { usageStatisticsEnabled: false },
  telemetry: { enabled: false },
  general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
};

describe.each([
  ["Anthropic's messages", "anthropic", "claude-sonnet-4-5"],
  ["OpenAI's chat completions", "openai", "gpt-5.2"],
] as const)("at an upstream that speaks %s", (_name, type, model) => {
  const system = setUpSystem({ type, models: [model], answer });

  test("Gemini CLI reads and writes files", async () => {
    const place = createPlace({
      "work/note.txt": "the weir is open\n",
      "home/.gemini/settings.json": JSON.stringify(settings),
    });
    const { user, token } = await system.relay.addCaller();
    const ended = await runApplication(place, {
      script: "@google/gemini-cli/bundle/gemini.js",
      args: ["-p", "Copy note.txt to copy.txt.", "-m", model, "--approval-mode", "yolo", "--skip-trust"],
      env: { GEMINI_API_KEY: token.key, GOOGLE_GEMINI_BASE_URL: system.relay.url, GEMINI_CLI_TRUST_WORKSPACE: "true" },
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
