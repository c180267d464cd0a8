import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { expect, test } from "vitest";
import { createBundleFolder } from "@/lib/testing/run-folder";

const script = `
  import { readFileSync } from "node:fs";
  import { setTimeout as delay } from "node:timers/promises";
  import { bundleServer } from "./scripts/bundle.mjs";
  const children = () => readFileSync("/proc/self/task/" + process.pid + "/children", "utf8").trim();
  await bundleServer({ names: ["fake-upstream"], outdir: process.env.OUTDIR });
  for (let i = 0; i < 40 && children() !== ""; i++) await delay(50);
  process.stdout.write("children: " + children());
  process.exit();
`;

test("bundling before a start leaves no process of the build tool running", () => {
  const outdir = createBundleFolder("bundling");
  try {
    const { stdout } = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      env: { ...process.env, OUTDIR: outdir },
      encoding: "utf8",
    });
    expect(stdout).toBe("children: ");
  } finally {
    rmSync(outdir, { recursive: true, force: true });
  }
});
