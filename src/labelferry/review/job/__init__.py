"""A review job: questions, answers, learning from them, certificates, exports."""
