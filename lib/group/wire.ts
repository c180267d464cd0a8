import type { UsableGroup } from "./types";

export function toWireUsableGroups(groups: UsableGroup[]): Record<string, { ratio: number; desc: string }> {
  return Object.fromEntries(groups.map(({ name, ratio, description }) => [name, { ratio, desc: description }]));
}
