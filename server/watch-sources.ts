import { watch } from "node:fs";

const folders = ["server", "lib", "db"];
const settleMs = 200;

/** Development only: calls `onChange` once after source files have changed, when there are no more changes for 200 ms. */
export function watchSources(onChange: () => void): void {
  let timer: NodeJS.Timeout | undefined;
  for (const folder of folders) {
    watch(folder, { recursive: true }, (_event, file) => {
      if (!file || /\.test\.ts$|^testing\//.test(file) || !file.endsWith(".ts")) return;
      clearTimeout(timer);
      timer = setTimeout(onChange, settleMs);
    });
  }
}
