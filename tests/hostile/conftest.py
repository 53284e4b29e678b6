from command_line import workplace

__all__ = ["workplace"]
