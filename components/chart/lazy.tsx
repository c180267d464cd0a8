"use client";

import dynamic from "next/dynamic";

function Loading() {
  return <div className="h-full animate-pulse rounded bg-muted" aria-hidden />;
}

// The library of charts is large: it comes when a page that shows one is there.
export const LazyBarChart = dynamic(() => import("./bar-chart"), { ssr: false, loading: Loading });
export const LazyDonutChart = dynamic(() => import("./donut-chart"), { ssr: false, loading: Loading });
export const LazyLineChart = dynamic(() => import("./line-chart"), { ssr: false, loading: Loading });
