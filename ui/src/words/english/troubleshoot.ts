export const troubleshoot = {};
