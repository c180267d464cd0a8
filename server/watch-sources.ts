import { watch } from "node:fs";

const folders = ["server", "lib", "db"];
const settleMs = 200;

/** Development only: calls back once when sources of the processes have changed and then been quiet for a moment. */
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
