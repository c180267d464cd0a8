import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { Asked, Turn } from "@/lib/testing/strict-upstream";
import { createPlace, runApplication } from "./run-application";
import { setUpSystem } from "./system";

/** Calls the shell, as a model would. */
function answer({ results }: Asked): Turn {
  if (results.length === 0) {
    return {
      text: "I copy it.",
      calls: [{ name: "exec_command", input: { cmd: "cp note.txt copy.txt && cat copy.txt" } }],
    };
  }
  return { text: `The note says: ${/the weir is open/.exec(results[0] ?? "")?.[0]}` };
}

describe.each([
  ["OpenAI's chat completions", "openai", "gpt-5.2"],
  ["Anthropic's messages", "anthropic", "claude-sonnet-4-5"],
  ["Google's generateContent", "gemini", "gemini-3-pro-preview"],
] as const)("at an upstream that speaks %s", (_name, type, model) => {
  const system = setUpSystem({ type, models: [model], answer });

  test("Codex runs a command", async () => {
    const place = createPlace({ "work/note.txt": "the weir is open\n" });
    const { user, token } = await system.relay.addCaller();
    const config = {
      model: JSON.stringify(model),
      model_provider: '"weir"',
      "model_providers.weir": `{ name = "weir", base_url = "${system.relay.url}/v1", wire_api = "responses", env_key = "WEIR_KEY" }`,
      check_for_update_on_startup: "false",
      "analytics.enabled": "false",
      "features.plugins": "false",
      "features.remote_plugin": "false",
      "features.apps": "false",
    };
    const options = Object.entries(config).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const ended = await runApplication(place, {
      script: "@openai/codex/bin/codex.js",
      args: [
        "exec",
        "--skip-git-repo-check",
        "--dangerously-bypass-approvals-and-sandbox",
        ...options,
        "Copy note.txt to copy.txt.",
      ],
      env: { WEIR_KEY: token.key },
    });
    expect(ended, system.explain(ended.errors)).toMatchObject({
      code: 0,
      output: expect.stringContaining("The note says: the weir is open"),
    });
    expect(readFileSync(join(place.work, "copy.txt"), "utf8")).toBe("the weir is open\n");
    await system.expectCharged(user, model);
    expect(ended.outside).toEqual([]);
    place.remove();
  });
});
