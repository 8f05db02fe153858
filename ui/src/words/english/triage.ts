export const triage = {};
