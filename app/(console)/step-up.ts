import {
  finishPasskeyStepUp,
  signInAgain,
  startPasskeyStepUp,
  stepUpByCode,
  stepUpByPassword,
  stepUpKinds,
} from "@/components/auth/step-up-actions";
import type { StepUpActions } from "@/components/auth/step-up-dialog";

/** The server actions that the `useStepUp` dialog calls. */
export const stepUpActions: StepUpActions = {
  kinds: stepUpKinds,
  byPassword: stepUpByPassword,
  byCode: stepUpByCode,
  startPasskey: startPasskeyStepUp,
  finishPasskey: finishPasskeyStepUp,
  signInAgain,
};
