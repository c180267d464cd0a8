import base from "./vitest.operations.config";
const b: any = base;
b.test.globalSetup = ["tests/global-setup.ts"];
export default b;
