"use client";

import { useSearchParams } from "next/navigation";
import { filterQuery } from "@/components/data-table/list-params";
import { logFilterParams } from "./log-search";

type Narrowing = { status?: number; code?: string; cause?: string; model?: string; channel?: number };

/** The address of the log's rows with the filters of the URL, narrowed to some failures. */
export function useFailureHref(): (narrowing: Narrowing) => string {
  const address = useSearchParams();
  return (narrowing) => {
    const query = new URLSearchParams(filterQuery(address, logFilterParams));
    for (const [name, value] of Object.entries(narrowing)) query.set(name, String(value));
    return `/log?${query}`;
  };
}
