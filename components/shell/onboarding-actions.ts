"use server";

import { z } from "zod";
import { action } from "@/lib/http/action";
import { checkOnboarding } from "@/lib/onboarding/queries";

/** Polled by the checklist while it is on screen. */
export const onboardingSteps = action(z.object({}), (ctx) => checkOnboarding(ctx));
