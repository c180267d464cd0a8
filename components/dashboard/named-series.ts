import type { ModelSeries } from "@/lib/statistics/types";

/** A series as the charts show it. */
export type NamedSeries = ModelSeries & { id: string; label: string; colour: string };
