import type { ModelSeries } from "@/lib/statistics/types";

export type NamedSeries = ModelSeries & { id: string; label: string; colour: string };
