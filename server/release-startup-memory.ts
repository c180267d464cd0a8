import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * Loading the program leaves up to 200 MB of garbage, which V8 keeps for as long as a process has little to do. Takes a
 * tenth of a second, so it is called before a process takes requests. Before Node.js 22 the option was not known, and
 * every option meant a collection of the young space only.
 */
export function releaseStartupMemory(): void {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as (options?: {
    type: "major";
    execution: "sync";
    flavor: "last-resort";
  }) => void;
  const [major = 0] = process.versions.node.split(".").map(Number);
  if (major < 22) collect();
  else collect({ type: "major", execution: "sync", flavor: "last-resort" });
}
