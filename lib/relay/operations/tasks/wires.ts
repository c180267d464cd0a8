import { midjourneyWire } from "./midjourney/wire";
import type { TaskPage, TaskWire } from "./platform";
import { videoWires } from "./platforms/video";
import { sunoWire } from "./suno/wire";

/** What does not depend on the type of a wire's requests. */
type AnyWire = Pick<TaskWire<unknown>, "id" | "clientDialect" | "pages" | "notice">;

/** All formats in which callers submit tasks and ask for them. */
const wires: readonly AnyWire[] = [midjourneyWire, sunoWire, ...videoWires];

export const wiresById: ReadonlyMap<string, Pick<TaskWire<unknown>, "notice">> = new Map(
  wires.map(({ id, notice }) => [id, notice ? { notice } : {}]),
);

export type FoundPage = { page: TaskPage; wire: Pick<TaskWire<unknown>, "id" | "clientDialect"> };

const pages: readonly FoundPage[] = wires.flatMap(({ pages: own, id, clientDialect }) =>
  own.map((page) => ({ page, wire: { id, clientDialect } })),
);

/** The page of tasks at a path; null = it is another path. */
export function findTaskPage(method: string, path: string): FoundPage | null {
  return pages.find(({ page }) => page.method === method && page.path.test(path)) ?? null;
}
