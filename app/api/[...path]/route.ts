import { defineRoutes } from "@/lib/http/route";

/** Answers every path under /api that has no route. */
export const { GET, POST, PUT, PATCH, DELETE, OPTIONS } = defineRoutes([]);
