import type { LogStoreScale } from "./log-store-rows";
export async function measureLists(_: { url: string; scale: LogStoreScale; rounds: number }): Promise<void> {}
