import { midjourneyWire } from "./midjourney/wire";
import type { TaskPage, TaskWire } from "./platform";
import { sunoWire } from "./suno/wire";

/** All formats in which callers submit tasks and ask for them. */
const wires = [midjourneyWire, sunoWire];

export type FoundPage = { page: TaskPage; wire: Pick<TaskWire<unknown>, "id" | "caller"> };

const pages: readonly FoundPage[] = wires.flatMap(({ pages: own, id, caller }) =>
  own.map((page) => ({ page, wire: { id, caller } })),
);

/** The page of tasks at a path; null = it is another path. */
export function findTaskPage(method: string, path: string): FoundPage | null {
  return pages.find(({ page }) => page.method === method && page.path.test(path)) ?? null;
}
