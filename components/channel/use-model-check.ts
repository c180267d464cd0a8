"use client";

import { useEffect, useState } from "react";
import type { ModelCheck } from "@/lib/channel/model-check-queries";
import { checkModels } from "./actions";

/** Wait for the end of typing before asking. */
const PAUSE_MS = 250;
const NOTHING: ModelCheck = { unpriced: [], unserved: [] };

/** What is wrong with the models, asked from the server after each change; empty until it is known. */
export function useModelCheck(type: number, models: readonly string[]): ModelCheck {
  const [found, setFound] = useState(NOTHING);
  const list = models.join(",");
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      // A failed check marks nothing; saving and testing say what is wrong.
      const result = list === "" ? null : await checkModels({ type, models: list.split(",") }).catch(() => null);
      if (isCurrent) setFound(result?.ok ? result.data : NOTHING);
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [type, list]);
  return found;
}
