export const prompt = {};
